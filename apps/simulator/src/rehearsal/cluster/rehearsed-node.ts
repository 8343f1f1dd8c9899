import {
  type ChangeStream,
  cpuMillicores,
  isPodReady,
  isPodTerminal,
  type Logger,
  memoryBytes,
  type Node,
  type Pod,
  silentMetrics,
  hostnameLabel,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import { createFakeRuntime, type FakeRuntime, type LogSink, type RuntimeCall } from "@kintsugi/cri/simulated";
import {
  apiConfigSource,
  createKubelet,
  kubeletDefaults,
  type KubeletOptions,
  labelNames,
  type Machine,
  type Mounts,
  type Prober,
} from "@kintsugi/kubelet/factory";
import { MemoryCgroups, MemoryFiles, MemoryMounts, quietMachine, quietUsage } from "@kintsugi/kubelet/simulated";
import {
  CallFaults,
  failedProbe,
  type Death,
  type SeededRandomSource,
  type Incarnation,
  MachineClock,
  mortal,
  ProbeFaults,
  type SimulatedNode,
  VirtualProcess,
  Wire,
} from "@kintsugi/simulation";
import { type ClusterTimers, kubeletTimers } from "../../cluster/timers.ts";
import { mayBeQuiet } from "./answers/quiet-pods.ts";
import { adoptedPods } from "./adopted-pods.ts";
import type { MomentBehaviour, PodTimes } from "./behaviour.ts";

export interface RehearsedNodeDeps {
  clock: Clock;
  randomSource: SeededRandomSource;
  log: Logger;
  behaviour: MomentBehaviour;
  connect: (
    node: RehearsedNode,
    owner: { incarnation: Incarnation; clock: Clock },
  ) => { client: Client; changes: ChangeStream | undefined };
  /** The committed pods that are bound to the node. */
  podsOf: (nodeName: string) => readonly Pod[];
  /** Waits until the volumes of a pod can be attached to the node. */
  attach: (podUid: string, nodeName: string) => Promise<void> | undefined;
  onDeath: (death: Death) => void;
}

export interface RehearsedNodeOptions {
  node: Node;
  /** Counts from 1. */
  number: number;
  timers: ClusterTimers;
  /**
   * True if its kubelet manages all pods, as faults of containers and probes require. False if it
   * manages only the pods that may change.
   */
  managesAllPods: boolean;
}

/** Interval of the inspections that find nothing on a machine without a program. */
const seldomMs = 3_600_000;
/** Time within which a kubelet has reported everything that it found. */
const awakeMinMs = 15_000;
const noLogs: LogSink = { append: () => {} };

// The states of a node, and the component that renews its Lease:
//
//   asleep ── a pod is bound or deleted ──► awake ── power or wire lost ──► lost
//   heartbeats.ts                           its kubelet                     none
//      ▲───── all of its pods are settled ────┘
//
// A sleeping node's containers run, and the node costs nothing.

/**
 * A node of the user's cluster: asleep until an event concerns it, and then with a real kubelet.
 */
export class RehearsedNode implements SimulatedNode {
  readonly name: string;
  readonly runtime: FakeRuntime;
  readonly wire = new Wire();
  readonly calls = new CallFaults();
  readonly probes = new ProbeFaults();
  readonly kubelet: VirtualProcess;
  readonly #deps: RehearsedNodeDeps;
  readonly #options: RehearsedNodeOptions;
  readonly #files = new MemoryFiles();
  readonly #mounts = new MemoryMounts();
  readonly #cgroups = new MemoryCgroups();
  readonly #times = new Map<string, PodTimes>();
  #isOn = true;
  #isAsleep = true;
  #isAdopted = false;
  /** UIDs of running pods that neither the runtime nor a list of the kubelet contains. */
  readonly #quietPods = new Set<string>();
  #staysAwake = false;
  #wokenAtMs = 0;
  #boots = 1;

  constructor(deps: RehearsedNodeDeps, options: RehearsedNodeOptions) {
    this.#deps = deps;
    this.#options = options;
    const { clock, randomSource, behaviour } = deps;
    this.name = options.node.metadata.name ?? "";
    const machineClock = new MachineClock(clock);
    const failures = randomSource.of(`failures of ${this.name}`);
    const images = options.node.status?.images?.flatMap(({ names }) => names?.slice(0, 2) ?? []) ?? [];
    this.runtime = createFakeRuntime(
      { clock: machineClock, random: randomSource.of(`runtime of ${this.name}`), logs: noLogs },
      {
        podCidr: options.node.spec?.podCIDR ?? `10.${200 + (options.number >> 8)}.${options.number & 255}.0/24`,
        images: [...new Set(images)],
        faults: { before: (call) => this.#delay(call) },
        callsKeptMax: 0,
        program: ({ config, sandboxConfig }) => {
          const pod = this.#podOf(sandboxConfig.metadata.uid);
          const isInit = pod?.spec?.initContainers?.some(
            ({ name, restartPolicy }) => name === config.metadata.name && restartPolicy !== "Always",
          );
          if (isInit === true) return { type: "shell", source: "exit 0" };
          const failsAfterMs = pod && behaviour.failsAfterMs(pod, config.metadata.name, failures);
          return failsAfterMs === undefined
            ? { type: "server" }
            : { type: "shell", source: `sleep ${Math.ceil(failsAfterMs / 1000)}; exit 1` };
        },
      },
    );
    const pulls = randomSource.of(`pulls of ${this.name}`);
    this.runtime.images.planPull = (image) => ({ afterMs: behaviour.pullMs(image, pulls) });
    this.kubelet = new VirtualProcess(
      {
        clock,
        machineClock,
        onDeath: deps.onDeath,
        run: (signal, incarnation, ownClock) => this.#runKubelet(signal, { incarnation, clock: ownClock }),
      },
      { name: `kubelet of ${this.name}` },
    );
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** True if clients reach its containers. */
  get serves(): boolean {
    return this.#isOn && !this.wire.isCut;
  }

  /**
   * True if no kubelet runs, and no fault has happened, so that its Lease is renewed on its behalf.
   */
  get isAsleep(): boolean {
    return this.#isOn && this.#isAsleep && !this.wire.isCut;
  }

  /**
   * Starts the node's kubelet with the running containers, unless the kubelet runs or the node was
   * lost.
   */
  wake(): void {
    if (!this.isAsleep) return;
    this.#isAsleep = false;
    this.#wokenAtMs = this.#deps.clock.monotonicMs();
    if (!this.#isAdopted) this.#adoptAll();
    this.kubelet.start();
  }

  /** Keeps a kubelet running from now on, for faults that it has to detect. */
  stayAwake(): void {
    this.#staysAwake = true;
    this.wake();
  }

  /**
   * Stops its kubelet if all of its pods are in their final state. Returns whether the kubelet was
   * stopped.
   */
  sleep(): boolean {
    const activeMs = this.#deps.clock.monotonicMs() - this.#wokenAtMs;
    if (this.#isAsleep || this.#staysAwake || !this.serves || activeMs < awakeMinMs) return false;
    if (!this.#deps.podsOf(this.name).every(isSettled)) return false;
    this.kubelet.kill();
    this.#isAsleep = true;
    return true;
  }

  /** Cuts the machine's power: kubelet, runtime and containers end at the same time. */
  kill(): void {
    this.kubelet.kill();
    this.powerOff();
  }

  powerOff(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#isAsleep = false;
    this.#isAdopted = true;
    this.#quietPods.clear();
    this.runtime.powerOff();
    this.runtime.setAvailable(false);
  }

  /** Boots the machine: its containers are lost, and its kubelet starts them again. */
  powerOn(): void {
    if (this.#isOn) return;
    this.#isOn = true;
    this.#boots++;
    this.runtime.setAvailable(true);
  }

  /** Boots a machine that was off. */
  return(): void {
    this.powerOn();
    this.#wokenAtMs = this.#deps.clock.monotonicMs();
    this.kubelet.start();
  }

  setRuntimeAvailable(available: boolean): void {
    this.runtime.setAvailable(available && this.#isOn);
  }

  async loseFiles(): Promise<void> {
    for (const path of await this.#files.list("/")) await this.#files.remove(`/${path}`);
  }

  /** Reports whether the pod runs without its kubelet while its objects are unchanged. */
  isQuiet({ metadata }: Pod): boolean {
    return this.#quietPods.has(metadata.uid ?? "");
  }

  /**
   * Lets its kubelet manage a quiet pod from the next change of the pod on.
   * @param pod the pod before its change.
   */
  reveal(pod: Pod): void {
    if (this.#quietPods.delete(pod.metadata.uid ?? "")) this.#adopt([pod]);
  }

  #adopt(pods: readonly Pod[]): void {
    for (const pod of adoptedPods(pods, this.#deps.clock.nowMs())) this.runtime.adopt(pod);
  }

  #adoptAll(): void {
    this.#isAdopted = true;
    const all = this.#deps.podsOf(this.name);
    const quiet = this.#options.managesAllPods ? [] : all.filter(mayBeQuiet);
    for (const pod of quiet) {
      this.#quietPods.add(pod.metadata.uid ?? "");
      for (const { image = "" } of pod.spec?.containers ?? []) {
        if (this.runtime.images.find(image) === undefined) this.runtime.images.add(image);
      }
    }
    this.#adopt(all.filter((pod) => !this.isQuiet(pod)));
  }

  #podOf(uid: string): Pod | undefined {
    return this.#deps.podsOf(this.name).find(({ metadata }) => metadata.uid === uid);
  }

  /** The durations of a pod on this node, drawn when they are first needed. */
  #timesOf(uid: string): PodTimes | undefined {
    const known = this.#times.get(uid);
    if (known !== undefined) return known;
    const pod = this.#podOf(uid);
    if (pod === undefined) return undefined;
    const { namespace = "", name = "" } = pod.metadata;
    const times = this.#deps.behaviour.timesOf(pod, this.#deps.randomSource.of(`times of ${namespace}/${name}`));
    this.#times.set(uid, times);
    return times;
  }

  #delay({ name, args: [request] }: RuntimeCall): Promise<void> | undefined {
    const { clock, attach } = this.#deps;
    if (name === "runPodSandbox") {
      const { metadata } = request as Parameters<ContainerRuntime["runPodSandbox"]>[0];
      return attach(metadata.uid, this.name);
    }
    if (name === "createContainer") {
      const { sandboxConfig } = request as Parameters<ContainerRuntime["createContainer"]>[0];
      const { startMs = 0 } = this.#timesOf(sandboxConfig.metadata.uid) ?? {};
      return startMs > 0 ? clock.sleep(startMs) : undefined;
    }
    if (name !== "stopContainer") return undefined;
    return this.#stopDelay(String(request));
  }

  /** The runtime itself records each container's pod. */
  async #stopDelay(containerId: string): Promise<void> {
    const [container] = await this.runtime.listContainers({ id: containerId });
    if (container?.state !== "running") return;
    const { stopMs = 0 } = this.#timesOf(container.labels[labelNames.podUid] ?? "") ?? {};
    if (stopMs > 0) await this.#deps.clock.sleep(stopMs);
  }

  async #runKubelet(
    signal: AbortSignal,
    { incarnation, clock }: { incarnation: Incarnation; clock: Clock },
  ): Promise<void> {
    const { randomSource, log } = this.#deps;
    const { client, changes } = this.#deps.connect(this, { incarnation, clock });
    const kubelet = await createKubelet(
      {
        client,
        changes,
        runtime: mortal<ContainerRuntime>(this.runtime, incarnation),
        clock,
        random: randomSource.of(`kubelet of ${this.name}`),
        log,
        metrics: silentMetrics,
        files: mortal(this.#files, incarnation),
        mounts: mortal<Mounts>(this.#mounts, incarnation),
        machine: this.#machine(),
        prober: this.#prober(),
        configSource: apiConfigSource(client),
        cgroups: mortal(this.#cgroups, incarnation),
      },
      this.#kubeletOptions(),
    );
    await kubelet.run(signal);
  }

  /**
   * The machine's capacity equals the pods' allocatable resources, without a reserve, so the Node
   * does not change.
   */
  #machine(): Machine {
    const { allocatable = {}, nodeInfo } = this.#options.node.status ?? {};
    const labels = this.#options.node.metadata.labels ?? {};
    const facts = {
      cpuMillicores: cpuMillicores(allocatable["cpu"] ?? "0"),
      memoryBytes: memoryBytes(allocatable["memory"] ?? "0"),
      ephemeralStorageBytes: memoryBytes(allocatable["ephemeral-storage"] ?? "0"),
      cgroupVersion: 2 as const,
      architecture: labels["kubernetes.io/arch"] ?? "amd64",
      operatingSystem: labels["kubernetes.io/os"] ?? "linux",
      kernelVersion: nodeInfo?.kernelVersion ?? "",
      osImage: nodeInfo?.osImage ?? "",
      machineId: nodeInfo?.machineID ?? this.name,
      systemUuid: nodeInfo?.systemUUID ?? this.name,
      bootId: this.#boots === 1 ? (nodeInfo?.bootID ?? "boot-1") : `boot-${this.#boots}`,
    };
    return { ...quietMachine, facts: () => Promise.resolve(facts), usage: () => Promise.resolve(quietUsage) };
  }

  #kubeletOptions(): KubeletOptions {
    const { node, timers, number } = this.#options;
    const { addresses = [], allocatable = {}, nodeInfo } = node.status ?? {};
    const defaults = kubeletDefaults;
    return {
      ...defaults,
      ...kubeletTimers(timers),
      version: nodeInfo?.kubeletVersion ?? defaults.version,
      maxPods: Number(allocatable["pods"] ?? defaults.maxPods),
      eviction: { ...defaults.eviction, thresholds: [], monitoringPeriodMs: seldomMs },
      logRotation: { ...defaults.logRotation, maxSizeBytes: -1 },
      labels: {},
      nodeName: this.name,
      hostname: node.metadata.labels?.[hostnameLabel] ?? this.name,
      nodeIps: [addresses.find(({ type }) => type === "InternalIP")?.address ?? `192.0.2.${(number % 250) + 1}`],
      podCidr: "",
      clusterDnsServers: ["10.96.0.10"],
      rootDirectory: "/kubelet",
      podLogsDirectory: "/logs",
      memoryDirectory: "/memory",
    };
  }

  /** A container becomes ready a random time after its start, and runs as long as its program. */
  #prober(): Prober {
    return {
      attempt: async (_handler, { containerId, namespace, podName }, { kind }) => {
        if (kind !== undefined && this.probes.fail({ kind, namespace, podName })) return failedProbe;
        if (kind !== "readiness") return { kind: "success" };
        const status = await this.runtime.containerStatus(containerId);
        const { readyMs = 0 } = this.#timesOf(status.labels[labelNames.podUid] ?? "") ?? {};
        const ranMs = this.#deps.clock.nowMs() - status.startedAtMs;
        return ranMs >= readyMs ? { kind: "success" } : { kind: "failure", output: "not ready yet" };
      },
    };
  }
}

/** Reports whether the pod only changes after an external action. */
function isSettled(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp === undefined && (isPodReady(pod) || isPodTerminal(pod));
}
