import type { TimerProfile } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { VirtualClock } from "@kintsugi/clock/simulated";
import type { FakeRuntime } from "@kintsugi/cri/simulated";
import type { UnsyncedFate } from "@kintsugi/store/simulated";
import type { Copies } from "./instruments/copies.ts";
import type { Loads } from "./instruments/loads.ts";
import type { QuietPeriod } from "./quiet-period.ts";
import type { CallFaults } from "./faults/call-faults.ts";
import type { ProbeFaults } from "./faults/probe-faults.ts";
import type { BusLinks } from "./network/bus-links.ts";
import type { RequestWitness } from "./invariants/observed/seen-request.ts";
import type { RequestFaults } from "./network/request-faults.ts";
import type { Wire } from "./network/wire.ts";
import type { CommittedStore } from "./disk/committed-log.ts";
import type { ServerDisk } from "./disk/server-disk.ts";
import type { Death, VirtualProcess } from "./process/virtual-process.ts";
import type { Trace } from "./trace.ts";

/** A whole cluster in the view of faults, which the assembly of the services implements. */
export interface FaultableCluster {
  readonly clock: Clock;
  /** The load of each workload, which its pods share. */
  readonly loads: Loads;
  /** The committed objects, independent of the process that has them open at present. */
  readonly store: CommittedStore;
  readonly bus: BusLinks | undefined;
  readonly server: SimulatedServer;
  readonly scheduler: VirtualProcess;
  readonly controllerManager: VirtualProcess;
  readonly nodes: readonly SimulatedNode[];
  /** The machines of a control plane with several servers; absent or empty with one server. */
  readonly controlPlanes?: readonly SimulatedControlPlane[];
  /** Undefined if pods have no disks. */
  readonly storage?: SimulatedStorage | undefined;
  /** The client of a user with all rights. */
  readonly client: Client;
  /** The line between the API server and a service or a node. */
  wireOf(name: string): Wire;
  /** True if scheduler and controller-manager use leader election. */
  readonly leaderElection: boolean;
  /**
   * Starts a second process of a service, by mistake or for availability, which runs until it is
   * killed.
   */
  startSecond(service: "scheduler" | "controller-manager"): VirtualProcess;
}

/** A cluster on a virtual clock, in the view of checks. */
export interface SimulatedCluster extends FaultableCluster {
  readonly clock: VirtualClock;
  readonly timers: TimerProfile;
  /** The time since the last disturbance, as the faults report it. */
  readonly quietPeriod: QuietPeriod;
  /** The informers' caches of all running processes. */
  readonly copies: Copies;
  readonly trace: Trace;
  /** Processes that ended by themselves. */
  readonly deaths: readonly Death[];
  /** Virtual time since the cluster began. */
  readonly nowMs: number;
  advance(ms: number): Promise<void>;
  /**
   * Advances time until the work is done, for work that takes time: a request to a disk, or to a
   * server that is just starting.
   */
  during<T>(work: Promise<T>): Promise<T>;
  /** @throws when the node does not exist. */
  node(name: string): SimulatedNode;
  /** Ends every process at the same time; the committed objects remain for inspection. */
  halt(): void;
}

/** A cloud of disks that are attached to nodes. */
interface SimulatedStorage {
  /** The service that creates and attaches the disks. */
  readonly process: VirtualProcess;
  /** Returns the existing disks, each with the node to which it is attached. */
  disks(): readonly AttachableDisk[];
  /** Returns the driver's names of the copies that snapshots have created. */
  copies(): readonly string[];
}

export interface AttachableDisk {
  /** The driver's name of the disk. */
  readonly handle: string;
  /** Undefined while the disk is not attached to a node. */
  readonly nodeName: string | undefined;
  /** The attributes that its VolumeAttributesClass has set. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** The api-server and the disk of its machine. */
export interface SimulatedServer {
  readonly process: VirtualProcess;
  /** The server has created the default objects of every cluster, so that it can be used. */
  readonly isReady: boolean;
  /** The faults between the server and its callers. */
  readonly requests: RequestFaults;
  /** Undefined if the store is in memory and has no faults. */
  readonly disk: ServerDisk | undefined;
  /**
   * Cuts the power of its machine. The fate applies to unsynced data; a server without a disk does
   * not lose data.
   */
  cutPower(fate: UnsyncedFate): void;
  /** Called with every request that reaches the server. */
  witness(witness: RequestWitness): void;
}

/**
 * One machine of a control plane with several servers: its services, and its member of the log
 * (etcd).
 */
export interface SimulatedControlPlane {
  /** "server-2". */
  readonly name: string;
  /** The machine's api-server, scheduler and controller-manager. */
  readonly processes: readonly VirtualProcess[];
  memberDown(): void;
  memberUp(): void;
  /** Cuts the api-server off from the log; its clients still reach it. */
  cutMember(): void;
  healMember(): void;
}

/** A machine: its runtime with its containers, its wire, and a kubelet that starts and stops. */
export interface SimulatedNode {
  readonly name: string;
  readonly runtime: FakeRuntime;
  readonly kubelet: VirtualProcess;
  readonly wire: Wire;
  /** The faults between the kubelet and its runtime. */
  readonly calls: CallFaults;
  /** The probes that fail regardless of the containers. */
  readonly probes: ProbeFaults;
  /**
   * Cuts the power: runtime and every container end at the same time. The kubelet is a process of
   * its own.
   */
  powerOff(): void;
  /** Restores the power, with the remaining contents of the disk. */
  powerOn(): void;
  /** While this is false, the runtime does not respond; its containers continue to run. */
  setRuntimeAvailable(available: boolean): void;
  /** Removes the files that the kubelet has written. */
  loseFiles(): Promise<void>;
}
