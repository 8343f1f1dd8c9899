import { type Logger, silentMetrics } from "@kintsugi/api";
import type { Client, createInformer } from "@kintsugi/client";
import { type Clock, type Random, untilAborted } from "@kintsugi/clock";
import type { ContainerRuntime, PodSandboxConfig } from "@kintsugi/cri";
import {
  createFakeRuntime,
  type FakeRuntime,
  type FakeStreams,
  type LogSink,
  LogWriter,
  type RuntimeCall,
} from "@kintsugi/cri/simulated";
import {
  apiConfigSource,
  createKubelet,
  createProber,
  type Files,
  kubeletRoutes,
  type KubeletDeps,
  type KubeletOptions,
  labelNames,
  type LogFiles,
  type Mounts,
  type Prober,
  type Route,
} from "@kintsugi/kubelet/factory";
import { MemoryFiles, MemoryMounts } from "@kintsugi/kubelet/simulated";
import {
  CallFaults,
  type Death,
  failedProbe,
  type Incarnation,
  MachineClock,
  mortal,
  ProbeFaults,
  type SimulatedNode,
  VirtualProcess,
  type Wire,
} from "@kintsugi/simulation";
import { answerOfPort, failsProbe, type Power, printedAtStart, scriptedProgram, startDelayMsIn } from "./behaviour.ts";
import { completedAnnotations, type ConfigMapReader } from "./pod-answers.ts";
import { hollowCgroups, hollowMachine, type MachineSize } from "./hollow-machine.ts";
import type { SharedCopies } from "../copies/shared-copies.ts";

export interface HollowNodeDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  /** The client of the API server, with the rights of this node. */
  client: Client;
  copies: SharedCopies;
  onDeath: (death: Death) => void;
  /** Stores logs and serves streams; if absent, the node answers no request of the API server. */
  serving?: NodeServing | undefined;
  /** The network between the node and the API server, over which its client sends requests. */
  wire: Wire;
  driverOn?: DriverOn | undefined;
}

/** Starts the storage driver of a machine, with the machine's mounts. */
export type DriverOn = (
  nodeName: string,
  mounts: MemoryMounts,
) => {
  powerOff(): void;
  /** Returns the connection of one run of the kubelet to the driver. */
  plugins(incarnation: Incarnation): KubeletDeps["plugins"];
};

export interface HollowNodeOptions {
  machine: MachineSize;
  kubelet: KubeletOptions;
}

/** The containers' output on a node that answers no requests. */
const noLogs: LogSink = { append: () => {} };

/** The process has its own metrics. */
const noMetrics = { exposition: () => Promise.resolve(""), contentType: "text/plain; version=0.0.4" };

/** The parts of a process whose nodes answer the API server. */
export interface NodeServing {
  /** The clock of the answers; absent: the node's clock. */
  readonly clock?: Clock | undefined;
  readonly logs: LogSink & LogFiles;
  readonly streams: FakeStreams;
  /** Reads the ConfigMaps with pods' answers; absent: only annotations have answers. */
  readonly readConfigMap?: ConfigMapReader | undefined;
}

/**
 * A machine without containers: a real kubelet over a runtime that only records them. Its power can
 * be cut and restored.
 */
export class HollowNode implements SimulatedNode {
  readonly name: string;
  readonly runtime: FakeRuntime;
  readonly kubelet: VirtualProcess;
  readonly wire: Wire;
  readonly calls = new CallFaults();
  readonly probes = new ProbeFaults();
  readonly #deps: HollowNodeDeps;
  readonly #options: HollowNodeOptions;
  readonly #files = new MemoryFiles();
  readonly #mounts = new MemoryMounts();
  readonly #driver: ReturnType<DriverOn> | undefined;
  /** The power state in the node's annotation. */
  #power: Power = "off";
  /** True while a fault has cut the power. */
  #isCut = false;
  #hasRuntime = true;
  #boots = 0;
  /** True if no kubelet has run since the machine booted. */
  #hasBooted = false;
  #resume: (() => void) | undefined;
  #routes: readonly Route[] = [];

  constructor(deps: HollowNodeDeps, options: HollowNodeOptions) {
    const { clock, random, onDeath } = deps;
    this.name = options.kubelet.nodeName;
    this.wire = deps.wire;
    this.#deps = deps;
    this.#options = options;
    this.#driver = deps.driverOn?.(this.name, this.#mounts);
    this.runtime = createFakeRuntime(
      { clock, random, logs: deps.serving?.logs ?? noLogs, ...(deps.serving && { streams: deps.serving.streams }) },
      {
        podCidr: options.kubelet.podCidr,
        program: ({ config, sandboxConfig }, imageName) =>
          scriptedProgram({ config, imageName }, () => this.#annotationsOf(sandboxConfig)),
        answerOfPort: (sandbox, port) => answerOfPort(this.#annotationsOf(sandbox), port),
        faults: {
          before: (call) => this.#before(call),
          after: (call) => this.calls.after(call),
          deliver: (event) => this.calls.deliver(event),
        },
        callsKeptMax: 0,
      },
    );
    this.runtime.setGroupsPolicy(true);
    if (deps.serving) this.#printAtStart(deps.serving.logs);
    this.kubelet = new VirtualProcess(
      {
        clock,
        machineClock: new MachineClock(clock),
        onDeath,
        run: (signal, incarnation, ownClock) => this.#runKubelet(signal, { incarnation, clock: ownClock }),
      },
      { name: `kubelet of ${this.name}` },
    );
  }

  /** The kubelet's routes for the API server; empty while no kubelet runs. */
  get routes(): readonly Route[] {
    return this.#power === "on" && this.kubelet.isRunning ? this.#routes : [];
  }

  get power(): Power {
    return this.#power;
  }

  /** May be called repeatedly: a machine that is already in the state is unchanged. */
  setPower(power: Power): void {
    if (power === this.#power) return;
    this.#resume?.();
    this.#resume = undefined;
    if (power === "off") this.#cutPower();
    else if (this.#power === "off") this.#boot();
    if (power === "paused") this.#resume = this.kubelet.pause();
    this.#power = power;
  }

  /** Sends the kubelet the signal to stop; its containers are removed with the process. */
  stop(): Promise<void> {
    if (this.#power === "paused") this.setPower("on");
    this.#power = "off";
    return this.kubelet.stop();
  }

  powerOff(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.runtime.powerOff();
    this.#driver?.powerOff();
    this.#tellRuntime();
  }

  powerOn(): void {
    if (!this.#isCut) return;
    this.#isCut = false;
    this.#boots++;
    this.#hasBooted = true;
    this.#tellRuntime();
    if (!this.kubelet.isRunning) return;
    this.kubelet.kill();
    this.kubelet.start();
  }

  setRuntimeAvailable(available: boolean): void {
    this.#hasRuntime = available;
    this.#tellRuntime();
  }

  async loseFiles(): Promise<void> {
    for (const path of await this.#files.list("/")) await this.#files.remove(`/${path}`);
  }

  #boot(): void {
    this.#boots++;
    this.#hasBooted = true;
    this.#power = "on";
    this.#tellRuntime();
    // A process that waits for the power may exist.
    this.kubelet.kill();
    this.kubelet.start();
  }

  /**
   * Ends the kubelet, the runtime and the containers at the same time, in the middle of their work.
   */
  #cutPower(): void {
    this.kubelet.kill();
    this.runtime.powerOff();
    this.#driver?.powerOff();
    this.#power = "off";
    this.#tellRuntime();
  }

  #tellRuntime(): void {
    this.runtime.setAvailable(this.#power !== "off" && !this.#isCut && this.#hasRuntime);
  }

  #before(call: RuntimeCall): Promise<void> | undefined {
    const delay = this.#delay(call);
    return delay === undefined ? this.calls.before(call) : delay.then(() => this.calls.before(call));
  }

  #delay({ name, args: [request] }: RuntimeCall): Promise<void> | undefined {
    if (name !== "createContainer") return undefined;
    const { sandboxConfig } = request as Parameters<ContainerRuntime["createContainer"]>[0];
    const delayMs = startDelayMsIn(this.#annotationsOf(sandboxConfig));
    return delayMs === 0 ? undefined : this.#deps.clock.sleep(delayMs);
  }

  /** A change arrives over the network. A kubelet that has missed too many changes restarts. */
  #deliver(incarnation: Incarnation, change: () => void): void {
    if (this.wire.in.arrive(() => incarnation.whenAwake(change)) || incarnation.ended) return;
    this.kubelet.kill();
    this.kubelet.start();
  }

  async #runKubelet(
    signal: AbortSignal,
    { incarnation, clock }: { incarnation: Incarnation; clock: Clock },
  ): Promise<void> {
    // A fault that ends may start a kubelet whose machine is off by its annotation, or still
    // without power.
    if (this.#power === "off" || this.#isCut) return untilAborted(signal);
    const { random, log, copies } = this.#deps;
    const client = mortal(this.#deps.client, incarnation);
    const runtime = mortal<ContainerRuntime>(this.runtime, incarnation);
    const node = { name: this.name, hasBooted: this.#hasBooted };
    this.#hasBooted = false;
    const makeInformer: typeof createInformer = copies.viewsOf({
      node,
      deliver: (change) => this.#deliver(incarnation, change),
    });
    const plugins = this.#driver?.plugins(incarnation);
    const kubelet = await createKubelet(
      {
        ...(plugins && { plugins }),
        client,
        makeInformer,
        runtime,
        clock,
        random,
        log,
        metrics: silentMetrics,
        files: mortal<Files>(this.#files, incarnation),
        mounts: mortal<Mounts>(this.#mounts, incarnation),
        machine: hollowMachine({ nodeName: this.name, bootId: `${this.name}-${this.#boots}` }, this.#options.machine),
        prober: this.#prober(runtime),
        configSource: apiConfigSource(client),
        cgroups: hollowCgroups,
      },
      this.#options.kubelet,
    );
    const { serving } = this.#deps;
    if (serving)
      this.#routes = kubeletRoutes({
        ...kubelet,
        errors: () => kubelet.errors(),
        clock: serving.clock ?? clock,
        log,
        logFiles: serving.logs,
        metrics: noMetrics,
      });
    await kubelet.run(signal);
  }

  /** The current annotations of a pod, with its answers in a ConfigMap. */
  #annotationsOf({ labels, annotations }: Pick<PodSandboxConfig, "labels" | "annotations">) {
    const { [labelNames.podNamespace]: namespace = "", [labelNames.podName]: name = "" } = labels;
    const pod = this.#deps.copies.pods.find({ namespace, name });
    const present = pod?.metadata.annotations ?? annotations;
    return completedAnnotations({ namespace, annotations: present }, this.#deps.serving?.readConfigMap);
  }

  #printAtStart(sink: LogSink): void {
    this.runtime.witness(({ type, container }) => {
      if (type !== "started") return;
      const text = printedAtStart(this.#annotationsOf({ labels: container.labels, annotations: {} }));
      if (text !== "") new LogWriter(this.#deps.clock, sink, container.logPath).write("stdout", text);
    });
  }

  /** Commands run in the container. Its ports are not open, and requests to them succeed. */
  #prober(runtime: ContainerRuntime): Prober {
    const inContainer = createProber(runtime);
    return {
      attempt: async (handler, target, limits) => {
        const { kind } = limits;
        const { namespace, podName: name } = target;
        if (kind !== undefined && this.probes.fail({ kind, namespace, podName: name })) return failedProbe;
        if (kind !== undefined && failsProbe(this.#deps.copies.pods.find({ namespace, name }), kind))
          return { kind: "failure", output: "the pod's annotation requests it" };
        return handler.exec ? inContainer.attempt(handler, target, limits) : { kind: "success" };
      },
    };
  }
}
