import type { Clock } from "@kintsugi/clock";
import type { RequestHandler } from "@kintsugi/client";
import {
  type CommittedStore,
  type SeededRandomSource,
  Incarnation,
  type SimulatedControlPlane,
  type VirtualProcess,
} from "@kintsugi/simulation";
import { type ReplicatedStoreOptions } from "@kintsugi/store";
import { SharedMemoryLog } from "@kintsugi/store/simulated";
import { ReplicaStorage } from "./replica-storage.ts";
import { ServerEntryPoint } from "./server-entry-point.ts";
import type { VirtualServer } from "./virtual-server.ts";

// A control plane of three machines. Each has a member of the log (etcd), and the services:
//
//   server-1   member   api-server ─┐ each server shows the log's objects from a copy of its own
//   server-2   member   api-server ─┼─► log: accepts a commit while most of the members are up,
//   server-3   member   api-server ─┘        and has one leader, whose loss takes an election
//
// scheduler and controller-manager run on each machine, and one of each leads.

/** An election of etcd takes 1 to 2 s with its default timers. */
const electionMs = 1_500;

interface Machine {
  readonly name: string;
  readonly server: VirtualServer;
  readonly storage: ReplicaStorage;
  /** The machine's api-server and the added services. */
  readonly processes: VirtualProcess[];
  isUp: boolean;
}

interface ControlPlanesOptions {
  readonly count: number;
  /** The retention of a server's copy. */
  readonly windows: Partial<ReplicatedStoreOptions>;
}

type MakeServer = (name: string, storage: ReplicaStorage) => VirtualServer;

/** Servers that share their objects, and the machines on which the servers run. */
export class ControlPlanes {
  readonly #clock: Clock;
  readonly #log: SharedMemoryLog;
  readonly #storages: readonly ReplicaStorage[];
  /** Follows the log as a server does, but without faults: it shows every commit. */
  readonly #witness: ReplicaStorage;
  /** The machines in the view of faults. */
  readonly machines: SimulatedControlPlane[] = [];
  readonly #machines: Machine[] = [];
  #leader = 0;
  #clients = 0;

  constructor(deps: { clock: Clock; randomSource: SeededRandomSource }, { count, windows }: ControlPlanesOptions) {
    const { clock, randomSource } = deps;
    this.#clock = clock;
    this.#log = new SharedMemoryLog({ clock, random: randomSource.of("log") });
    this.#witness = new ReplicaStorage({ log: this.#log, randomSource, isPrompt: true }, windows);
    this.#storages = Array.from({ length: count }, () => new ReplicaStorage({ log: this.#log, randomSource }, windows));
  }

  get committed(): CommittedStore {
    return this.#witness.committed;
  }

  /** Creates the servers. @returns the first server. */
  make(makeServer: MakeServer): VirtualServer {
    for (const [index, storage] of this.#storages.entries()) {
      const name = `server-${index + 1}`;
      const server = makeServer(name, storage);
      const processes = [server.process];
      this.#machines.push({ name, server, storage, processes, isUp: true });
      this.machines.push({
        name,
        processes,
        memberDown: () => this.#turn(index, false),
        memberUp: () => this.#turn(index, true),
        cutMember: () => storage.cut(),
        healMember: () => storage.heal(),
      });
    }
    return this.#first.server;
  }

  /** Returns a client's connection to the servers; each client begins with the next server. */
  entryPoint(): RequestHandler {
    return new ServerEntryPoint(
      this.#machines.map(({ server }) => server),
      this.#clients++,
    );
  }

  async start(): Promise<void> {
    await this.#witness.open(new Incarnation(), this.#clock);
    for (const { server } of this.#machines) server.process.start();
    await Promise.all(this.#machines.map(({ server }) => server.ready));
  }

  /**
   * Adds scheduler and controller-manager of each machine.
   * @param first the services of the first machine
   * @param startSecond starts the services of another machine
   */
  addServices(first: readonly VirtualProcess[], startSecond: () => readonly VirtualProcess[]): void {
    for (const machine of this.#machines) machine.processes.push(...(machine === this.#first ? first : startSecond()));
  }

  halt(): void {
    for (const { server } of this.#machines) server.process.kill();
  }

  get #first(): Machine {
    const [first] = this.#machines;
    if (first === undefined) throw new Error("the control plane has no machine");
    return first;
  }

  /** Switches a member on or off. Whether a leader exists depends on the majority. */
  #turn(index: number, isUp: boolean): void {
    const machine = this.#machines[index];
    if (machine === undefined) return;
    const had = this.#hasQuorum;
    machine.isUp = isUp;
    if (!this.#hasQuorum) this.#log.loseLeader(Infinity);
    else if (!had || !this.#machines[this.#leader]?.isUp) {
      this.#leader = this.#machines.findIndex((each) => each.isUp);
      this.#log.loseLeader(electionMs);
    }
  }

  get #hasQuorum(): boolean {
    return this.#machines.filter(({ isUp }) => isUp).length > this.#machines.length / 2;
  }
}
