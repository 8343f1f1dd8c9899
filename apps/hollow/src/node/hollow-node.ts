import { type Logger, silentMetrics } from "@kintsugi/api";
import type { Client, createInformer } from "@kintsugi/client";
import type { Clock, Random } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import {
  createFakeRuntime,
  type FakeRuntime,
  type FakeStreams,
  type LogSink,
  LogWriter,
  type RuntimeCall,
} from "@kintsugi/cri/testing";
import {
  apiConfigSource,
  createKubelet,
  createProber,
  type Files,
  kubeletRoutes,
  type KubeletOptions,
  labelNames,
  type LogFiles,
  type Mounts,
  type Prober,
  type Route,
} from "@kintsugi/kubelet/factory";
import { MemoryFiles, MemoryMounts } from "@kintsugi/kubelet/testing";
import { type Death, type Life, MachineClock, mortal, VirtualProcess } from "@kintsugi/simulation";
import { failsProbe, type Power, printedAtStart, scriptedProgram, startDelayMsIn } from "./behaviour.ts";
import { hollowCgroups, hollowMachine, type MachineSize } from "./hollow-machine.ts";
import type { SharedCopies } from "../copies/shared-copies.ts";

export interface HollowNodeDeps {
  clock: Clock;
  random: Random;
  log: Logger;
  /** The API server, with the rights of this node. */
  client: Client;
  copies: SharedCopies;
  onDeath: (death: Death) => void;
  /** Keeps logs and carries streams; without it the node answers no request of the API server. */
  serving?: NodeServing | undefined;
}

export interface HollowNodeOptions {
  machine: MachineSize;
  kubelet: KubeletOptions;
}

/** The containers' output of a node that answers no requests. */
const noLogs: LogSink = { append: () => {} };

/** The process has metrics of its own. */
const noMetrics = { exposition: () => Promise.resolve(""), contentType: "text/plain; version=0.0.4" };

/** The parts of a process whose nodes answer the API server. */
export interface NodeServing {
  readonly logs: LogSink & LogFiles;
  readonly streams: FakeStreams;
}

/**
 * A machine without containers: a real kubelet over a runtime that only keeps account of them. Its
 * power can go and return.
 */
export class HollowNode {
  readonly name: string;
  readonly #deps: HollowNodeDeps;
  readonly #options: HollowNodeOptions;
  readonly #runtime: FakeRuntime;
  readonly #files = new MemoryFiles();
  readonly #mounts = new MemoryMounts();
  readonly #process: VirtualProcess;
  #power: Power = "off";
  #boots = 0;
  /** No kubelet has run since the machine booted. */
  #hasBooted = false;
  #resume: (() => void) | undefined;
  #routes: readonly Route[] = [];

  constructor(deps: HollowNodeDeps, options: HollowNodeOptions) {
    const { clock, random, onDeath } = deps;
    this.name = options.kubelet.nodeName;
    this.#deps = deps;
    this.#options = options;
    this.#runtime = createFakeRuntime(
      { clock, random, logs: deps.serving?.logs ?? noLogs, ...(deps.serving && { streams: deps.serving.streams }) },
      {
        podCidr: options.kubelet.podCidr,
        program: scriptedProgram,
        faults: { before: (call) => this.#delay(call) },
        callsKeptMax: 0,
      },
    );
    if (deps.serving) this.#printAtStart(deps.serving.logs);
    this.#process = new VirtualProcess(
      {
        clock,
        machineClock: new MachineClock(clock),
        onDeath,
        run: (signal, life, ownClock) => this.#runKubelet(signal, { life, clock: ownClock }),
      },
      { name: `kubelet of ${this.name}` },
    );
  }

  /** The kubelet's answers to the API server; empty while no kubelet runs. */
  get routes(): readonly Route[] {
    return this.#power === "on" && this.#process.isRunning ? this.#routes : [];
  }

  get power(): Power {
    return this.#power;
  }

  /** Repeatable: a machine that is in the state already stays as it is. */
  setPower(power: Power): void {
    if (power === this.#power) return;
    this.#resume?.();
    this.#resume = undefined;
    if (power === "off") this.#cutPower();
    else if (this.#power === "off") this.#boot();
    if (power === "paused") this.#resume = this.#process.pause();
    this.#power = power;
  }

  /** The kubelet gets the signal to stop; its containers are forgotten with the process. */
  stop(): Promise<void> {
    if (this.#power === "paused") this.setPower("on");
    this.#power = "off";
    return this.#process.stop();
  }

  #boot(): void {
    this.#boots++;
    this.#hasBooted = true;
    this.#runtime.setAvailable(true);
    this.#process.start();
  }

  /** Kubelet, runtime and containers end at once, in the middle of their work. */
  #cutPower(): void {
    this.#process.kill();
    this.#runtime.powerOff();
    this.#runtime.setAvailable(false);
  }

  #delay({ name, args: [request] }: RuntimeCall): Promise<void> | undefined {
    if (name !== "createContainer") return undefined;
    const { sandboxConfig } = request as Parameters<ContainerRuntime["createContainer"]>[0];
    const delayMs = startDelayMsIn(sandboxConfig.annotations);
    return delayMs === 0 ? undefined : this.#deps.clock.sleep(delayMs);
  }

  async #runKubelet(signal: AbortSignal, { life, clock }: { life: Life; clock: Clock }): Promise<void> {
    const { random, log, copies } = this.#deps;
    const client = mortal(this.#deps.client, life);
    const runtime = mortal<ContainerRuntime>(this.#runtime, life);
    const node = { name: this.name, hasBooted: this.#hasBooted };
    this.#hasBooted = false;
    const makeInformer: typeof createInformer = copies.viewsOf({
      node,
      deliver: (change) => life.whenAwake(change),
    });
    const kubelet = await createKubelet(
      {
        client,
        makeInformer,
        runtime,
        clock,
        random,
        log,
        metrics: silentMetrics,
        files: mortal<Files>(this.#files, life),
        mounts: mortal<Mounts>(this.#mounts, life),
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
        clock,
        log,
        logFiles: serving.logs,
        metrics: noMetrics,
      });
    await kubelet.run(signal);
  }

  #printAtStart(sink: LogSink): void {
    this.#runtime.witness(({ type, container }) => {
      if (type !== "started") return;
      const { [labelNames.podNamespace]: namespace = "", [labelNames.podName]: name = "" } = container.labels;
      const text = printedAtStart(this.#deps.copies.pods.find({ namespace, name })?.metadata.annotations);
      if (text !== "") new LogWriter(this.#deps.clock, sink, container.logPath).write("stdout", text);
    });
  }

  /** Commands run in the container; nothing listens on its ports, and requests to them succeed. */
  #prober(runtime: ContainerRuntime): Prober {
    const inContainer = createProber(runtime);
    return {
      attempt: async (handler, target, limits) => {
        const { kind } = limits;
        const { namespace, podName: name } = target;
        if (kind !== undefined && failsProbe(this.#deps.copies.pods.find({ namespace, name }), kind))
          return { kind: "failure", output: "the pod's annotation says so" };
        return handler.exec ? inContainer.attempt(handler, target, limits) : { kind: "success" };
      },
    };
  }
}
