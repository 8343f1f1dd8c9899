import { isAbsolute, join } from "node:path";
import type { Clock, Random } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError, type RuntimeHandler } from "../../container-runtime.ts";
import type { CreateContainerRequest } from "../../messages/container.ts";
import type { PodSandboxConfig } from "../../messages/sandbox.ts";
import { type ContainerProgram, programOf } from "../script/container-program.ts";
import { type AdoptedPod, PastClock } from "./adopted.ts";
import { FakeContainer } from "./container.ts";
import { EventHub } from "./event-hub.ts";
import type { FakeImages } from "./images.ts";
import { Inventory, sandboxName } from "./inventory.ts";
import { type LogSink, LogWriter } from "./logs.ts";
import { AddressPool, FakeSandbox } from "./sandbox.ts";
import type { CommandIo, FakeStreams } from "./streams.ts";
import { containerStats, sandboxStats, type UsageOf } from "./usage.ts";
import type { ContainerHappening, ContainerWitness } from "./witness.ts";

export interface FakeNodeOptions {
  podCidr: string;
  /**
   * Returns the behavior of a container, if the behavior does not follow from its image, command
   * and annotation.
   */
  program?: (request: CreateContainerRequest, imageName: string) => ContainerProgram | undefined;
  /** Returns the text with which a port of a sandbox answers; a port without a text is closed. */
  answerOfPort?: (sandbox: PodSandboxConfig, port: number) => string | undefined;
  /** Returns the reported usage of a running container. */
  usage: UsageOf;
}

/** The running containers and sandboxes at one moment. */
export interface Running {
  containers: { id: string; sandboxId: string; labels: Readonly<Record<string, string>> }[];
  /** Ids. */
  sandboxes: string[];
}

/** The fake's state and behavior, without injected faults. */
export class FakeNode implements ContainerRuntime {
  readonly images: FakeImages;
  readonly hub = new EventHub();
  readonly witnesses = new Set<ContainerWitness>();
  handlers: RuntimeHandler[] = [];
  /** False at first, as in containerd before 2.0. */
  obeysGroupsPolicy = false;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logs: LogSink;
  readonly #options: FakeNodeOptions;
  readonly #streams: FakeStreams | undefined;
  readonly #addresses: AddressPool;
  readonly #inventory = new Inventory();

  constructor(
    deps: { clock: Clock; random: Random; logs: LogSink; images: FakeImages; streams?: FakeStreams | undefined },
    options: FakeNodeOptions,
  ) {
    this.#streams = deps.streams;
    this.#clock = deps.clock;
    this.#random = deps.random;
    this.#logs = deps.logs;
    this.images = deps.images;
    this.#options = options;
    this.#addresses = new AddressPool(options.podCidr);
  }

  /** Its runtime version is unknown, so it does not mount images at first. */
  release = { runtimeName: "kintsugi-fake", runtimeVersion: "1.0.0" };
  version: ContainerRuntime["version"] = async () => ({ ...this.release, runtimeApiVersion: "v1" });

  status: ContainerRuntime["status"] = async () => ({
    conditions: ["RuntimeReady", "NetworkReady"].map((type) => ({ type, status: true, reason: "", message: "" })),
    handlers: this.handlers,
    obeysGroupsPolicy: this.obeysGroupsPolicy,
  });

  updatePodCidr: ContainerRuntime["updatePodCidr"] = async () => {};

  /** False at first, as in containerd before 1.7. */
  hasCdi = false;
  appliesCdi: ContainerRuntime["appliesCdi"] = async () => this.hasCdi;

  runPodSandbox: ContainerRuntime["runPodSandbox"] = async (config) => {
    const name = sandboxName(config);
    const taken = this.#inventory.findSandboxNamed(name);
    if (taken) throw nameTaken("sandbox", name, taken.id);
    if (config.linux.namespaces.network === "node" && config.hostname !== "") {
      throw new RuntimeError(
        "failed",
        "runc create failed: unable to set hostname without a private UTS namespace: unknown",
      );
    }
    const ip = config.linux.namespaces.network === "node" ? "" : this.#addresses.take();
    if (ip === undefined)
      throw new RuntimeError("failed", "failed to setup network for sandbox: no IP addresses available");
    const sandbox = new FakeSandbox(this.#clock, { id: this.#newId(), config, ip });
    this.#inventory.addSandbox(sandbox);
    this.#publish("created", sandbox.id);
    this.#publish("started", sandbox.id);
    return sandbox.id;
  };

  stopPodSandbox: ContainerRuntime["stopPodSandbox"] = async (sandboxId, signal) => {
    const sandbox = this.#inventory.findSandbox(sandboxId);
    if (!sandbox) return;
    await Promise.all(this.#inventory.containersOf(sandboxId).map((container) => this.#stop(container, 0, signal)));
    this.killSandbox(sandboxId);
    this.#addresses.release(sandbox.ip);
    sandbox.ip = "";
  };

  removePodSandbox: ContainerRuntime["removePodSandbox"] = async (sandboxId, signal) => {
    await this.stopPodSandbox(sandboxId, signal);
    for (const container of this.#inventory.containersOf(sandboxId)) await this.removeContainer(container.spec.id);
    const sandbox = this.#inventory.findSandbox(sandboxId);
    if (!sandbox) return;
    this.#inventory.removeSandbox(sandbox);
    this.#publish("deleted", sandboxId);
  };

  podSandboxStatus: ContainerRuntime["podSandboxStatus"] = async (sandboxId) =>
    this.#inventory.sandbox(sandboxId).status();

  listPodSandboxes: ContainerRuntime["listPodSandboxes"] = async (filter) =>
    this.#inventory.sandboxes(filter).map((sandbox) => sandbox.summary());

  /** Adopts a pod that was running in another runtime, without an event. */
  adopt({ sandbox, createdAtMs, containers }: AdoptedPod): void {
    const clock = new PastClock(this.#clock);
    clock.show(createdAtMs);
    this.#inventory.addSandbox(new FakeSandbox(clock, sandbox));
    for (const { id, config, startedAtMs, ended } of containers) {
      const past = new PastClock(this.#clock);
      past.show(startedAtMs);
      const image = this.images.find(config.image) ?? this.images.add(config.image);
      const imageName = image.repoTags[0] ?? config.image;
      const logPath = logPathOf(sandbox.config.logDirectory, config.logPath);
      let isPast = true;
      const container = new FakeContainer(
        {
          clock: past,
          log: new LogWriter(this.#clock, this.#logs, logPath),
          onEvent: (type) => (isPast ? undefined : this.#publish(type, id)),
        },
        {
          id,
          sandboxId: sandbox.id,
          config,
          program: { type: "server" },
          imageName,
          imageRef: image.repoDigests[0] ?? image.id,
          logPath,
        },
      );
      this.#inventory.addContainer(container);
      container.start();
      past.show(ended?.atMs);
      if (ended !== undefined) container.end(ended);
      past.show(undefined);
      isPast = false;
    }
  }

  createContainer: ContainerRuntime["createContainer"] = async (request) => {
    const { sandboxId, config, sandboxConfig } = request;
    const sandbox = this.#inventory.sandbox(sandboxId);
    if (!sandbox.ready) {
      throw new RuntimeError(
        "notFound",
        `failed to get sandbox container task: task ${sandboxId} not found: not found`,
      );
    }
    const { name, attempt } = config.metadata;
    const taken = this.#inventory
      .containersOf(sandboxId)
      .find(({ spec }) => spec.config.metadata.name === name && spec.config.metadata.attempt === attempt);
    if (taken) throw nameTaken("container", `${name}_${sandboxName(sandbox.config)}_${attempt}`, taken.spec.id);
    const image = this.images.find(config.image);
    if (!image) {
      throw new RuntimeError("notFound", `failed to resolve image "${config.image}": image not found`);
    }
    const imageName = image.repoTags[0] ?? config.image;
    const program = this.#options.program?.(request, imageName) ?? programOf(config, imageName);
    if (program.type === "fails" && program.at === "create") throw new RuntimeError("failed", program.message);
    const id = this.#newId();
    const logPath = logPathOf(sandboxConfig.logDirectory, config.logPath);
    const container = new FakeContainer(
      {
        clock: this.#clock,
        log: new LogWriter(this.#clock, this.#logs, logPath),
        onEvent: (type) => this.#publish(type, id),
      },
      {
        id,
        sandboxId,
        config,
        program,
        imageName,
        imageRef: image.repoDigests[0] ?? image.id,
        logPath,
      },
    );
    this.#inventory.addContainer(container);
    this.#publish("created", id);
    return id;
  };

  startContainer: ContainerRuntime["startContainer"] = async (containerId) => {
    const container = this.container(containerId);
    if (!this.#inventory.sandbox(container.spec.sandboxId).ready) {
      throw new RuntimeError("failed", `sandbox container "${container.spec.sandboxId}" is not running`);
    }
    container.start();
  };

  stopContainer: ContainerRuntime["stopContainer"] = async (containerId, timeoutSeconds, signal) => {
    const container = this.#inventory.findContainer(containerId);
    if (container) await this.#stop(container, timeoutSeconds, signal);
  };

  removeContainer: ContainerRuntime["removeContainer"] = async (containerId) => {
    const container = this.#inventory.findContainer(containerId);
    if (!container) return;
    await this.#stop(container, 0);
    this.#tellWitnesses("deleted", container);
    this.#inventory.removeContainer(container);
    this.#publish("deleted", containerId);
  };

  containerStatus: ContainerRuntime["containerStatus"] = async (containerId) => this.container(containerId).status();

  listContainers: ContainerRuntime["listContainers"] = async (filter) =>
    this.#inventory.containers(filter).map((container) => container.summary());

  updateContainerResources: ContainerRuntime["updateContainerResources"] = async (containerId, resources) => {
    this.container(containerId).resources = resources;
  };

  reopenContainerLog: ContainerRuntime["reopenContainerLog"] = async (containerId) => {
    this.#running(containerId);
  };

  execSync: ContainerRuntime["execSync"] = (...[containerId, command, timeoutSeconds]) =>
    this.container(containerId).exec(command, timeoutSeconds);

  exec: ContainerRuntime["exec"] = async ({ command, ...request }) => {
    const container = this.container(this.#running(request.containerId));
    return (
      this.#streams?.open("exec", request, (io) => container.run(command, io)) ??
      this.#streamUrl("exec", container.spec.id)
    );
  };

  attach: ContainerRuntime["attach"] = async (request) => {
    const container = this.container(this.#running(request.containerId));
    const run = async (io: CommandIo) => {
      await container.attach(io);
      return 0;
    };
    return this.#streams?.open("attach", request, run) ?? this.#streamUrl("attach", container.spec.id);
  };

  portForward: ContainerRuntime["portForward"] = async (sandboxId) => {
    const { config } = this.#inventory.sandbox(sandboxId);
    const answerOf = (port: number) => this.#options.answerOfPort?.(config, port);
    return this.#streams?.openPortForward(answerOf) ?? this.#streamUrl("portforward", sandboxId);
  };

  listImages: ContainerRuntime["listImages"] = async () => this.images.list();

  imageStatus: ContainerRuntime["imageStatus"] = async (reference) => this.images.find(reference);

  pullImage: ContainerRuntime["pullImage"] = (reference, _options, signal) => this.images.pull(reference, signal);

  removeImage: ContainerRuntime["removeImage"] = async (reference) => this.images.remove(reference);

  imageFsInfo: ContainerRuntime["imageFsInfo"] = async () => {
    const usedBytes = this.images.list().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return [{ timestampMs: this.#clock.nowMs(), mountpoint: "/", usedBytes, inodesUsed: this.images.list().length }];
  };

  listContainerStats: ContainerRuntime["listContainerStats"] = async (filter) =>
    this.#inventory.containers({ ...filter, state: "running" }).map((container) => this.#statsOf(container));

  listPodSandboxStats: ContainerRuntime["listPodSandboxStats"] = async (filter) =>
    this.#inventory.sandboxes({ ...filter, ready: true }).map((sandbox) => {
      const running = this.#inventory.containersOf(sandbox.id).filter(({ state }) => state === "running");
      const stats = running.map((container) => this.#statsOf(container));
      return sandboxStats(sandbox, stats, this.#clock.nowMs());
    });

  events: ContainerRuntime["events"] = (signal) => this.hub.subscribe(signal);

  close: ContainerRuntime["close"] = () => {};

  /** @throws RuntimeError notFound. */
  container(id: string): FakeContainer {
    return this.#inventory.container(id);
  }

  /** The sandbox's process dies; its containers are unaffected. */
  killSandbox(id: string): void {
    const sandbox = this.#inventory.sandbox(id);
    if (!sandbox.ready) return;
    sandbox.ready = false;
    this.hub.publish({ type: "stopped", containerId: id, atMs: this.#clock.nowMs(), exitCode: 137 });
  }

  oomKillProcess(id: string): void {
    if (this.container(id).state === "running") this.#publish("oom", id);
  }

  running(): Running {
    const containers = this.#inventory.containers({ state: "running" });
    const sandboxes = this.#inventory.sandboxes({ ready: true });
    return {
      containers: containers.map(({ spec: { id, sandboxId, config } }) => ({ id, sandboxId, labels: config.labels })),
      sandboxes: sandboxes.map(({ id }) => id),
    };
  }

  /** The power fails: every process ends at the same time. */
  powerOff(): void {
    const { containers, sandboxes } = this.running();
    for (const { id } of containers) this.container(id).end({ exitCode: 137 });
    for (const id of sandboxes) this.killSandbox(id);
  }

  #statsOf(container: FakeContainer) {
    const { sandboxId, config } = container.spec;
    const { config: sandboxConfig } = this.#inventory.sandbox(sandboxId);
    const usage = this.#options.usage({ sandboxId, config, sandboxConfig });
    return containerStats(container, usage, this.#clock.nowMs());
  }

  #running(containerId: string): string {
    const { state } = this.container(containerId);
    if (state !== "running") throw new RuntimeError("failed", `container "${containerId}" is not running`);
    return containerId;
  }

  async #stop(container: FakeContainer, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    if (container.state === "running") this.#tellWitnesses("stopping", container);
    await container.stop(timeoutSeconds, signal);
  }

  #publish(type: "created" | "started" | "stopped" | "deleted" | "oom", containerId: string): void {
    const event = { type, containerId, atMs: this.#clock.nowMs() };
    const container = this.#inventory.findContainer(containerId);
    if (container && type !== "deleted") this.#tellWitnesses(type, container);
    const exitCode = type === "stopped" ? container?.status().exitCode : undefined;
    this.hub.publish(exitCode === undefined ? event : { ...event, exitCode });
  }

  #tellWitnesses(type: ContainerHappening["type"], container: FakeContainer): void {
    if (this.witnesses.size === 0) return;
    const { sandboxId } = container.spec;
    const sandboxReady = this.#inventory.findSandbox(sandboxId)?.ready === true;
    for (const witness of this.witnesses) witness({ type, container: container.status(), sandboxId, sandboxReady });
  }

  #streamUrl(kind: string, id: string): string {
    return `http://fake-runtime.invalid/${kind}/${id}/${this.#newId().slice(0, 8)}`;
  }

  #newId(): string {
    return Buffer.from(this.#random.bytes(32)).toString("hex");
  }
}

function nameTaken(kind: string, name: string, id: string): RuntimeError {
  return new RuntimeError("failed", `failed to reserve ${kind} name "${name}": name "${name}" is reserved for "${id}"`);
}

function logPathOf(directory: string, path: string): string {
  if (path === "" || directory === "") return "";
  return isAbsolute(path) ? path : join(directory, path);
}
