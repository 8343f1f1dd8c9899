import type { TimerProfile } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { VirtualClock } from "@kintsugi/clock/testing";
import type { FakeRuntime } from "@kintsugi/cri/testing";
import type { UnsyncedFate } from "@kintsugi/store/testing";
import type { Copies } from "./instruments/copies.ts";
import type { Calm } from "./calm.ts";
import type { CallFaults } from "./faults/call-faults.ts";
import type { BusLinks } from "./network/bus-links.ts";
import type { RequestWitness } from "./invariants/observed/seen-request.ts";
import type { Wire } from "./network/wire.ts";
import type { CommittedStore } from "./disk/committed-log.ts";
import type { ServerDisk } from "./disk/server-disk.ts";
import type { Death, VirtualProcess } from "./process/virtual-process.ts";
import type { Trace } from "./trace.ts";

/** A whole cluster as faults and checks see it; whoever puts the services together makes one. */
export interface SimulatedCluster {
  readonly clock: VirtualClock;
  readonly timers: TimerProfile;
  /** Since when nobody does anything to it, as whoever does has said. */
  readonly calm: Calm;
  /** The informers' copies of all that run. */
  readonly copies: Copies;
  /** What is committed, whichever process holds it just now. */
  readonly store: CommittedStore;
  readonly trace: Trace;
  readonly bus: BusLinks | undefined;
  readonly server: SimulatedServer;
  readonly scheduler: VirtualProcess;
  readonly controllerManager: VirtualProcess;
  readonly nodes: readonly SimulatedNode[];
  /** For whoever may do everything. */
  readonly client: Client;
  /** Processes that ended although nobody had asked them to. */
  readonly deaths: readonly Death[];
  /** Virtual time since the cluster began. */
  readonly nowMs: number;
  advance(ms: number): Promise<void>;
  /**
   * Lets time pass until it is done, for what takes time: a request to a disk, or to a server that
   * is just starting.
   */
  during<T>(work: Promise<T>): Promise<T>;
  /** @throws when there is no such node. */
  node(name: string): SimulatedNode;
  /** The line between the API server and a service or a node. */
  wireOf(name: string): Wire;
  /** Whether scheduler and controller-manager run for election. */
  readonly leaderElection: boolean;
  /**
   * Another process of a service, as after a mistake, or for availability; it runs until it is
   * killed.
   */
  startSecond(service: "scheduler" | "controller-manager"): VirtualProcess;
  /** Ends every process at once; what was committed stays to be looked at. */
  halt(): void;
}

/** The api-server and the disk of its machine. */
export interface SimulatedServer {
  readonly process: VirtualProcess;
  /** Whether it has what every cluster has, so that it can be used. */
  readonly isReady: boolean;
  /** Undefined where the store is in memory that nothing can happen to. */
  readonly disk: ServerDisk | undefined;
  /**
   * The power of its machine goes. What was not synced meets that fate; without a disk nothing is
   * lost.
   */
  cutPower(fate: UnsyncedFate): void;
  /** Is told of every request that reaches it. */
  witness(witness: RequestWitness): void;
}

/** A machine: its runtime with its containers, its wire, and a kubelet that comes and goes. */
export interface SimulatedNode {
  readonly name: string;
  readonly runtime: FakeRuntime;
  readonly kubelet: VirtualProcess;
  readonly wire: Wire;
  /** What goes wrong between the kubelet and its runtime. */
  readonly calls: CallFaults;
  /**
   * The power goes: runtime and every container end at once. What becomes of the kubelet is its
   * process's affair.
   */
  powerOff(): void;
  /** The power is back, with what the disk still has. */
  powerOn(): void;
  /** While false its runtime answers nobody; its containers run on. */
  setRuntimeAvailable(available: boolean): void;
  /** What the kubelet has written down is gone. */
  loseFiles(): Promise<void>;
}
