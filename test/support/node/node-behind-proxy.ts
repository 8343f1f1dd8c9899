import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ContainerStatus, events, pods, type PodSpec } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { type ContainerRuntime, createCriRuntime } from "@kintsugi/cri";
import { type CriServer, startCriProxy } from "@kintsugi/cri/testing";
import { type RuntimeFaults } from "@kintsugi/cri/simulated";
import type { PrivateContainerd } from "@kintsugi/lab";
import { boundPod } from "./bound-pod.ts";
import { createKubeletOnContainerd, createNodeClient } from "./kubelet-on-containerd.ts";
import { startOwnContainerd } from "./own-containerd.ts";
import { eventually, runProgram } from "../run-program.ts";

const deps = { clock: systemClock, random: systemRandom };

export interface NodeBehindProxyOptions {
  /** The name of the directory, the containerd and its cgroup; with the process id it is unique. */
  name: string;
  podCidr: string;
  /** The faults between kubelet and runtime. */
  faults: RuntimeFaults;
  /** Time that the kubelet waits for the runtime. Default 2 min. */
  callTimeoutMs?: number;
}

/**
 * A node of this process: a real containerd, a proxy in front of it that injects faults into calls,
 * a kubelet that dies and restarts, an API in memory.
 */
export class NodeBehindProxy implements AsyncDisposable {
  readonly containerd: PrivateContainerd;
  readonly client: Client = createNodeClient();
  /** The runtime, without injected faults. */
  readonly direct: ContainerRuntime;
  readonly #proxy: CriServer;
  readonly #options: NodeBehindProxyOptions;
  #boots = 0;
  readonly #incarnations: { stop: AbortController; ended: Promise<void>; runtime: ContainerRuntime }[] = [];

  private constructor(parts: { containerd: PrivateContainerd; proxy: CriServer }, options: NodeBehindProxyOptions) {
    this.containerd = parts.containerd;
    this.#proxy = parts.proxy;
    this.#options = options;
    this.direct = createCriRuntime(deps, { endpoint: parts.containerd.endpoint });
  }

  static async start(options: NodeBehindProxyOptions): Promise<NodeBehindProxy> {
    const name = `${options.name}-${process.pid}`;
    const { podCidr, faults } = options;
    const containerd = await startOwnContainerd({ directory: `/tmp/k-${name}`, name, podCidr });
    const socketPath = `${containerd.directory}/proxy.sock`;
    const proxy = await startCriProxy(deps, { upstreamEndpoint: containerd.endpoint, socketPath, faults });
    const node = new NodeBehindProxy({ containerd, proxy }, options);
    await node.#boot();
    return node;
  }

  /** Starts another run of the kubelet. */
  async startKubelet(): Promise<void> {
    const { containerd, client } = this;
    const { callTimeoutMs } = this.#options;
    const runtime = createCriRuntime(deps, {
      endpoint: this.#proxy.endpoint,
      ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
    });
    const below = { client, runtime, containerd, bootIdFile: this.#bootIdFile };
    const kubelet = await createKubeletOnContainerd(below, this.#memoryDirectory, {
      restartBackoff: { initialMs: 300, maxMs: 2000, resetMs: 60_000, floorMs: 300 },
      workers: { resyncIntervalMs: 2000, errorBackoffMs: 300 },
    });
    const stop = new AbortController();
    const ended = kubelet.run(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    this.#incarnations.push({ stop, ended, runtime });
  }

  /** Ends the kubelet immediately, in the middle of its work. */
  killKubelet(): void {
    this.#incarnations.at(-1)?.stop.abort(new Error("killed"));
  }

  /**
   * Cuts the machine's power and boots the machine again. Its disk is unchanged; the parameter
   * decides about the kubelet's own directory.
   */
  async reboot(kubeletDirectory: "kept" | "wiped", meanwhile: () => Promise<void>): Promise<void> {
    this.killKubelet();
    await this.#incarnations.at(-1)?.ended;
    await this.containerd.powerOff();
    await rm(this.#memoryDirectory, { recursive: true, force: true });
    if (kubeletDirectory === "wiped") await rm(join(this.containerd.directory, "kubelet"), { recursive: true });
    await meanwhile();
    await this.containerd.start();
    await this.#boot();
  }

  async #boot(): Promise<void> {
    await writeFile(this.#bootIdFile, `boot-${++this.#boots}\n`);
    await this.startKubelet();
  }

  /** Returns the runtime's exit code of a container that was killed while the runtime was down. */
  async exitCodeOfKilledUnseen(): Promise<number> {
    // containerd from 1.7 on removes a container without a process before it reads its end, and
    // reports its exit as "unknown".
    const { runtimeVersion } = await this.direct.version();
    return /^v?1\.6\./.test(runtimeVersion) ? 137 : 255;
  }

  async create(name: string, command: string, more: Partial<PodSpec> = {}, escalation?: string): Promise<void> {
    const annotations = escalation === undefined ? undefined : { "kintsugi.dev/escalation": escalation };
    await this.client.create(pods, boundPod(name, command, more, annotations));
  }

  async containerOf(name: string): Promise<ContainerStatus | undefined> {
    return (await this.client.get(pods, { namespace: "default", name })).status?.containerStatuses?.[0];
  }

  /**
   * Waits until the pod's container runs; with `restarts`, after exactly that number of restarts.
   */
  runs(name: string, restarts?: number, waitMs?: number): Promise<ContainerStatus> {
    const look = async () => {
      const container = await this.containerOf(name);
      const isIt = container?.state?.running && (restarts === undefined || container.restartCount === restarts);
      return isIt ? container : undefined;
    };
    return eventually(`${name} runs after ${restarts ?? "some"} restarts`, look, waitMs);
  }

  /** Marks the pod like the API server's DELETE. */
  async markDeleted(name: string): Promise<void> {
    const current = await this.client.get(pods, { namespace: "default", name });
    const metadata = { ...current.metadata, deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 1 };
    await this.client.update(pods, { ...current, metadata });
  }

  async isGone(name: string): Promise<boolean> {
    return (await this.client.find(pods, { namespace: "default", name })) === undefined;
  }

  async remove(name: string, waitMs?: number): Promise<void> {
    await this.markDeleted(name);
    await eventually(`${name} is gone`, () => this.isGone(name), waitMs);
  }

  async sandboxOf(name: string): Promise<string> {
    return (
      (await this.direct.listPodSandboxes({ ready: true })).find(({ metadata }) => metadata.name === name)?.id ?? ""
    );
  }

  /** The first process of a container, or of a sandbox. */
  async processOf(id: string): Promise<number> {
    const address = this.containerd.endpoint.replace("unix://", "");
    const { stdout } = await runProgram("ctr", ["--address", address, "--namespace", "k8s.io", "tasks", "list"]);
    return Number(new RegExp(`^${id.replace("containerd://", "")}\\s+(\\d+)`, "m").exec(stdout)?.[1]);
  }

  /** "reason: message" of all events of pods. */
  async events(): Promise<string[]> {
    const { items } = await this.client.list(events, { namespace: "default" });
    return items.map(({ reason, message }) => `${reason}: ${message}`);
  }

  /**
   * Lists the faults: a pod with two containers or two sandboxes, or an unaffected pod that was
   * replaced.
   */
  async disorder(steady: string | undefined, restarts = 0): Promise<string[]> {
    const [containers, sandboxes, neighbour] = await Promise.all([
      this.direct.listContainers({ state: "running" }),
      this.direct.listPodSandboxes({ ready: true }),
      this.containerOf("steady"),
    ]);
    const twice = (ids: string[]) => ids.filter((id, at) => ids.indexOf(id) !== at);
    const isWhoItWas =
      neighbour?.containerID === steady && neighbour?.restartCount === restarts && neighbour.state?.running;
    return [
      ...twice(containers.map(({ sandboxId }) => sandboxId)).map((id) => `two containers in sandbox ${id}`),
      ...twice(sandboxes.map(({ metadata }) => metadata.uid)).map((uid) => `two sandboxes of pod ${uid}`),
      ...(isWhoItWas ? [] : [`the neighbour is ${JSON.stringify(neighbour)}, not ${steady}`]),
    ];
  }

  /** Waits until the runtime has one container in one sandbox, running or not. */
  async onlyNeighbourIsLeft(waitMs: number): Promise<void> {
    const isAlone = async () => {
      const [sandboxes, containers] = await Promise.all([this.direct.listPodSandboxes(), this.direct.listContainers()]);
      return sandboxes.length === 1 && containers.length === 1;
    };
    await eventually("only the neighbour is left in the runtime", isAlone, waitMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.killKubelet();
    await Promise.all(this.#incarnations.map(({ ended }) => ended));
    for (const { runtime } of this.#incarnations) runtime.close();
    this.direct.close();
    await this.#proxy.close();
    await this.containerd[Symbol.asyncDispose]();
    await rm(this.#memoryDirectory, { recursive: true, force: true });
  }

  get #bootIdFile(): string {
    return join(this.containerd.directory, "boot-id");
  }

  get #memoryDirectory(): string {
    return `/dev/shm/kintsugi-${this.#options.name}-test-${process.pid}`;
  }
}
