import { type ChangeStream, type Logger, silentMetrics, zoneLabel } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import { createFakeRuntime, type FakeRuntime, MemoryLogs } from "@kintsugi/cri/simulated";
import {
  apiConfigSource,
  createKubelet,
  createProber,
  kubeletDefaults,
  type Cgroups,
  type Mounts,
  type Prober,
} from "@kintsugi/kubelet/factory";
import { MemoryCgroups, MemoryFiles, MemoryMounts, quietMachine, ScriptedProber } from "@kintsugi/kubelet/simulated";
import {
  CallFaults,
  failedProbe,
  type CommittedStore,
  type Death,
  type SeededRandomSource,
  type Incarnation,
  MachineClock,
  mortal,
  ProbeFaults,
  VirtualProcess,
  Wire,
} from "@kintsugi/simulation";
import { type ClusterTimers, kubeletTimers } from "./timers.ts";
import { NodeDevices } from "./virtual-devices.ts";
import { nodePlugins } from "./virtual-plugins.ts";
import type { NodeDriver, VirtualStorage } from "./virtual-storage.ts";

export interface VirtualNodeDeps {
  clock: Clock;
  randomSource: SeededRandomSource;
  log: Logger;
  /** The connections of one incarnation of the kubelet to the cluster. */
  connect: (node: VirtualNode, owner: { incarnation: Incarnation; clock: Clock }) => NodeConnections;
  onDeath: (death: Death) => void;
  /** The disks that the node's pods may have; no disks when absent. */
  storage?: VirtualStorage | undefined;
  /**
   * The committed objects that the driver of the node's devices reads; absent: the node has no
   * devices.
   */
  store?: Pick<CommittedStore, "list"> | undefined;
}

export interface NodeConnections {
  client: Client;
  changes: ChangeStream | undefined;
}

export interface VirtualNodeOptions {
  name: string;
  /** Counts from 1; determines the node's addresses. */
  number: number;
  timers: ClusterTimers;
  zone?: string | undefined;
  maxPods?: number | undefined;
}

/**
 * The default address in upstream's installations. Pods do not query it in a simulation; without an
 * address, each pod would get two warning events about the missing address.
 */
const clusterDns = "10.96.0.10";

const logsDirectory = "/logs";

/** The log of one run of a container, as the kubelet names it. */
export function logPathOf(pod: { namespace: string; name: string; uid: string }, run: LoggedRun): string {
  return `${logsDirectory}/${pod.namespace}_${pod.name}_${pod.uid}/${run.container}/${run.attempt}.log`;
}

interface LoggedRun {
  readonly container: string;
  /** Counts from 0. */
  readonly attempt: number;
}

/** A machine: its runtime with its containers, its wire, and a kubelet that starts and stops. */
export class VirtualNode {
  readonly name: string;
  readonly runtime: FakeRuntime;
  /** The containers' logs, by the paths that `podLogsDirectory` returns. */
  readonly logs = new MemoryLogs();
  readonly files = new MemoryFiles();
  readonly cgroups = new MemoryCgroups();
  readonly mounts = new MemoryMounts();
  readonly prober = new ScriptedProber();
  readonly wire = new Wire();
  readonly calls = new CallFaults();
  readonly probes = new ProbeFaults();
  readonly kubelet: VirtualProcess;
  readonly #driver: NodeDriver | undefined;
  readonly #devices: NodeDevices | undefined;
  #isOn = true;
  #boots = 1;
  #hasRuntime = true;

  constructor(deps: VirtualNodeDeps, options: VirtualNodeOptions) {
    const { clock, randomSource } = deps;
    this.name = options.name;
    const machineClock = new MachineClock(clock);
    this.#driver = deps.storage?.driverOn({ name: this.name, zone: options.zone ?? "" }, this.mounts);
    this.#devices = deps.store && new NodeDevices({ store: deps.store }, { nodeName: this.name });
    this.runtime = createFakeRuntime(
      { clock: machineClock, random: randomSource.of(`runtime of ${this.name}`), logs: this.logs },
      { podCidr: podCidrOf(options.number), faults: this.calls },
    );
    this.kubelet = new VirtualProcess(
      {
        clock,
        machineClock,
        onDeath: deps.onDeath,
        run: (signal, incarnation, ownClock) =>
          this.#runKubelet({ ...deps, clock: ownClock }, options, { signal, incarnation }),
      },
      { name: `kubelet of ${this.name}` },
    );
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get isRuntimeUp(): boolean {
    return this.#isOn && this.#hasRuntime;
  }

  /** Cuts the power: kubelet, runtime and every container end immediately. */
  kill(): void {
    this.kubelet.kill();
    this.powerOff();
  }

  /** Restores the power, with the remaining contents of the disk. */
  return(): void {
    this.powerOn();
    this.kubelet.start();
  }

  powerOff(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.runtime.powerOff();
    this.#driver?.powerOff();
    this.#tellRuntime();
  }

  powerOn(): void {
    if (!this.#isOn) this.#boots++;
    this.#isOn = true;
    this.#tellRuntime();
  }

  setRuntimeAvailable(available: boolean): void {
    this.#hasRuntime = available;
    this.#tellRuntime();
  }

  /** Removes the kubelet's files, as after the loss of its disk. */
  async loseFiles(): Promise<void> {
    for (const path of await this.files.list("/")) await this.files.remove(`/${path}`);
  }

  /** The running containers, as "<pod>/<container>#<attempt> <id>", sorted. */
  async running(): Promise<string[]> {
    if (!this.#isOn) return [];
    const containers = await this.runtime.listContainers({ state: "running" });
    return containers
      .map(
        ({ id, labels, metadata }) => `${labels["io.kubernetes.pod.name"]}/${metadata.name}#${metadata.attempt} ${id}`,
      )
      .sort();
  }

  get #bootId(): string {
    return `boot-${this.#boots}`;
  }

  #tellRuntime(): void {
    this.runtime.setAvailable(this.#isOn && this.#hasRuntime);
  }

  async #runKubelet(
    deps: VirtualNodeDeps,
    options: VirtualNodeOptions,
    { signal, incarnation }: { signal: AbortSignal; incarnation: Incarnation },
  ): Promise<void> {
    const { clock, randomSource, log } = deps;
    const { client, changes } = deps.connect(this, { incarnation, clock });
    const runtime = mortal<ContainerRuntime>(this.runtime, incarnation);
    const kubelet = await createKubelet(
      {
        client,
        changes,
        plugins: nodePlugins({ storage: this.#driver?.accessFor(incarnation), devices: this.#devices }, incarnation),
        runtime,
        clock,
        random: randomSource.of(`kubelet of ${this.name}`),
        log,
        metrics: silentMetrics,
        files: mortal(this.files, incarnation),
        mounts: mortal<Mounts>(this.mounts, incarnation),
        machine: { ...quietMachine, facts: async () => ({ ...(await quietMachine.facts()), bootId: this.#bootId }) },
        prober: inContainers({ runtime, network: this.prober, faults: this.probes }),
        configSource: apiConfigSource(client),
        cgroups: mortal<Cgroups>(this.cgroups, incarnation),
      },
      {
        ...kubeletDefaults,
        ...kubeletTimers(options.timers),
        ...(options.maxPods === undefined ? {} : { maxPods: options.maxPods }),
        labels: options.zone === undefined ? {} : { [zoneLabel]: options.zone },
        nodeName: this.name,
        hostname: this.name,
        nodeIps: [addressOf(options.number)],
        podCidr: podCidrOf(options.number),
        clusterDnsServers: [clusterDns],
        rootDirectory: "/kubelet",
        podLogsDirectory: logsDirectory,
        memoryDirectory: "/memory",
      },
    );
    await Promise.all([kubelet.run(signal), this.#devices?.publish({ client, clock }, signal)]);
  }
}

/**
 * Commands are run in the container, whose script can make them fail; network probes are not
 * possible.
 */
function inContainers({
  runtime,
  network,
  faults,
}: {
  runtime: ContainerRuntime;
  network: Prober;
  faults: ProbeFaults;
}): Prober {
  const prober = createProber(runtime);
  return {
    attempt: async (handler, target, limits) => {
      const { kind } = limits;
      if (kind !== undefined && faults.fail({ kind, ...target })) return failedProbe;
      return handler.exec ? prober.attempt(handler, target, limits) : network.attempt(handler, target, limits);
    },
  };
}

/** 10.244.1.0/24 for node 1, and so on up to 10.255.255.0/24, which suffices for all nodes. */
function podCidrOf(number: number): string {
  return `10.${244 + (number >> 8)}.${number & 255}.0/24`;
}

/** 192.168.0.11 for node 1. */
function addressOf(number: number): string {
  const host = 10 + number;
  return `192.168.${host >> 8}.${host & 255}`;
}
