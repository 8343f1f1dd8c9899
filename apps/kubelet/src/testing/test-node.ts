import {
  csiDrivers,
  csiNodes,
  events,
  formatTimestamp,
  leases,
  type Metrics,
  type Node,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  type PodSpec,
  pods,
  secrets,
  services,
  silentLogger,
  silentMetrics,
  volumeAttachments,
  configMaps,
  resourceClaims,
  resourceSlices,
  runtimeClasses,
} from "@kintsugi/api";
import { type Client, createInProcessClient } from "@kintsugi/client";
import { MemoryApi } from "@kintsugi/client/testing";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import { createFakeRuntime, type FakeRuntime, type RuntimeFaults } from "@kintsugi/cri/simulated";
import { apiConfigSource } from "../containers/environment/config-source.ts";
import { assembleKubelet, type Kubelet } from "../kubelet.ts";
import type { NodePlugins } from "../kubelet-deps.ts";
import { kubeletDefaults, type KubeletOptions } from "../kubelet-options.ts";
import type { Machine } from "../machine/kernel/machine.ts";
import type { Prober } from "../pods/probes/prober.ts";
import { quietMachine } from "../simulated/quiet-machine.ts";
import { ScriptedProber } from "../simulated/scripted-prober.ts";
import { MemoryManifests } from "../simulated/memory-manifests.ts";
import { MemoryCgroups } from "../simulated/memory-cgroups.ts";
import { MemoryKernelLog } from "./memory-kernel-log.ts";
import { MemoryFiles } from "../simulated/memory-files.ts";
import { MemoryMounts } from "../simulated/memory-mounts.ts";

/** A kubelet with its node in virtual time: a fake runtime below, an API in memory above. */
export class TestNode implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly random = new SeededRandom(1);
  readonly runtime: FakeRuntime;
  readonly files = new MemoryFiles();
  readonly mounts = new MemoryMounts();
  readonly cgroups = new MemoryCgroups();
  readonly kernelLog = new MemoryKernelLog();
  readonly manifests = new MemoryManifests();
  readonly api = new MemoryApi({ clock: this.clock, random: this.random }, [
    pods,
    nodes,
    leases,
    events,
    secrets,
    configMaps,
    services,
    persistentVolumeClaims,
    persistentVolumes,
    runtimeClasses,
    csiDrivers,
    csiNodes,
    volumeAttachments,
    resourceClaims,
    resourceSlices,
  ]);
  readonly client: Client;
  readonly prober = new ScriptedProber();
  /** The node's machine, which a test may replace at any time. */
  machine: Machine = quietMachine;
  readonly options: KubeletOptions;
  /** Read at each start. */
  metrics: Metrics = silentMetrics;
  /** Read at each start; undefined: the node has no plugin directory. */
  plugins: NodePlugins | undefined;
  kubelet: Kubelet | undefined;
  #stop: AbortController | undefined;
  #running: Promise<void> | undefined;
  #pods = 0;

  constructor(options: Partial<KubeletOptions> = {}, faults: RuntimeFaults = {}) {
    const { clock, random } = this;
    this.runtime = createFakeRuntime({ clock, random }, { faults });
    const identity = { name: "system:node:node-1", groups: ["system:nodes"] };
    this.client = createInProcessClient({ handler: this.api, clock, random }, { identity });
    this.options = {
      ...kubeletDefaults,
      nodeName: "node-1",
      hostname: "node-1",
      nodeIps: ["192.168.0.11"],
      podCidr: "10.244.0.0/24",
      rootDirectory: "/kubelet",
      podLogsDirectory: "/logs",
      memoryDirectory: "/memory",
      ...options,
    };
  }

  /** Starts the kubelet and waits until it is idle. */
  async start(): Promise<void> {
    this.#stop = new AbortController();
    this.kubelet = await assembleKubelet(
      {
        client: this.client,
        plugins: this.plugins,
        runtime: this.runtime,
        clock: this.clock,
        random: this.random,
        log: silentLogger,
        metrics: this.metrics,
        files: this.files,
        mounts: this.mounts,
        machine: {
          facts: () => this.machine.facts(),
          usage: () => this.machine.usage(),
          filesystem: (path) => this.machine.filesystem(path),
          resolvConf: () => this.machine.resolvConf(),
        },
        prober: this.prober satisfies Prober,
        configSource: apiConfigSource(this.client),
        manifests: this.manifests,
        cgroups: this.cgroups,
        kernelLog: this.kernelLog,
      },
      this.options,
    );
    this.#running = this.kubelet.run(this.#stop.signal).catch((error: unknown) => {
      if (!this.#stop?.signal.aborted) throw error;
    });
    await this.clock.advance(100);
  }

  /** Ends the kubelet immediately, in the middle of its work. */
  kill(): void {
    this.#stop?.abort(new Error("killed"));
  }

  /** Stops the kubelet; its containers continue to run. */
  async stop(): Promise<void> {
    this.#stop?.abort(new Error("stopped"));
    await this.clock.advance(5000);
    await this.#running;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Creates a pod that is bound to this node, as after the scheduler's work. */
  async createPod(
    name: string,
    spec: Partial<PodSpec> = {},
    metadata: Pick<Pod["metadata"], "labels" | "generation"> = {},
  ): Promise<Pod> {
    return this.client.create(pods, {
      metadata: {
        name,
        namespace: "default",
        uid: `00000000-0000-4000-8000-${String(++this.#pods).padStart(12, "0")}`,
        creationTimestamp: formatTimestamp(this.clock.nowMs()),
        ...metadata,
      },
      spec: {
        containers: [{ name: "c", image: "busybox:1.36" }],
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        nodeName: "node-1",
        tolerations: [],
        ...spec,
      },
      status: { phase: "Pending" },
    });
  }

  /**
   * Does the API server's part of a DELETE: the pod is marked, and is removed when its kubelet
   * releases it.
   */
  async deletePod(name: string, gracePeriodSeconds = 30): Promise<void> {
    const pod = await this.pod(name);
    const deletionTimestamp = formatTimestamp(this.clock.nowMs() + gracePeriodSeconds * 1000);
    const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds };
    await this.client.update(pods, { ...pod, metadata });
    await this.clock.settle();
  }

  async pod(name: string): Promise<Pod> {
    return this.client.get(pods, { namespace: "default", name });
  }

  async findPod(name: string): Promise<Pod | undefined> {
    return this.client.find(pods, { namespace: "default", name });
  }

  async node(): Promise<Node> {
    return this.client.get(nodes, { namespace: "", name: "node-1" });
  }

  /** "reason: message" of every event recorded, with its count, oldest first. */
  async events(): Promise<string[]> {
    const { items } = await this.client.list(events);
    return items
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ reason, message, count }) => `${reason}: ${message}${(count ?? 1) > 1 ? ` (x${count})` : ""}`);
  }

  /** The running containers, by "pod/container#attempt". */
  async running(): Promise<string[]> {
    const containers = await this.runtime.listContainers({ state: "running" });
    return containers
      .map(({ labels, metadata }) => `${labels["io.kubernetes.pod.name"]}/${metadata.name}#${metadata.attempt}`)
      .sort();
  }
}

/** A default node with its kubelet started, while `run` runs. */
export async function withNode(run: (node: TestNode) => Promise<void>): Promise<void> {
  await using node = new TestNode();
  await node.start();
  await run(node);
}
