import type { ApiObject, ResourceType, TimerProfile } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { Committed, CommittedChange, Store } from "@kintsugi/store";
import type { QuietPeriod } from "../quiet-period.ts";
import type { AttachableDisk } from "../cluster.ts";
import type { Copy } from "../instruments/copies.ts";
import type { Level } from "../instruments/levels.ts";
import type { ViewClocks } from "./observed/view-clock.ts";
import type { Known } from "./observed/known-objects.ts";
import type { SteadyClocks } from "./observed/steady-clocks.ts";
import type { WorkingNodes } from "./observed/working-nodes.ts";
import type { SeenContainer } from "./observed/known-containers.ts";
import type { SeenRequest } from "./observed/seen-request.ts";

/**
 * One invariant of the cluster, checked after every committed change. It observes the events for
 * which it has a method.
 */
export interface Invariant {
  /** "bindings-hold": its factory in kebab case, and its row in test/simulation/README.md. */
  readonly name: string;
  /** The violation, as in the table of test/simulation/README.md. */
  readonly never: string;
  /**
   * Called for every change, with its bytes only. An invariant that needs the object observes its
   * kind.
   */
  change?(change: CommittedChange, check: Check): void;
  /** Observers of the changes of single kinds. */
  readonly observes?: readonly Observer[];
  /** An event of a container of any node, without delay. */
  container?(seen: SeenContainer, check: Check): void;
  /** A granted request that is not a read. */
  request?(seen: SeenRequest, check: Check): void;
  /** A granted read request, including watches. */
  reading?(request: HandlerRequest, check: Check): void;
  /**
   * Time that the api-server worked on the request, however the request ended; until the first
   * frame if the response is a stream.
   */
  took?(request: HandlerRequest, tookMs: number, check: Check): void;
  /** Data that a process sends outside of its responses: `where` is "bus" or "log". */
  said?(where: "bus" | "log", bytes: () => Uint8Array, check: Check): void;
  /** Called about once a second, while there are commits. */
  tick?(check: Check): void;
  /**
   * A process has opened the store, but does not report changes yet. The changes that the process
   * found and that clients have not seen follow.
   */
  opened?(store: Store, check: Check): void;
  /**
   * The process that had the store open has ended, and clients do not receive responses before the
   * store is opened again.
   */
  left?(): void;
  /** A process rejected the contents of the disk. */
  refused?(error: unknown, check: Check): void;
  /** This commit is about to be reported to a client. */
  answered?(key: string, committed: Committed<unknown>, check: Check): void;
}

/** Observes the changes of one kind. */
export interface Observer {
  readonly type: ResourceType;
  readonly observe: (seen: Seen<ApiObject>, check: Check) => void;
}

/** Returns an observer of a kind: `onKind(pods, ({ object }, check) => …)`. */
export function onKind<T extends ApiObject>(
  type: ResourceType<T>,
  observe: (seen: Seen<T>, check: Check) => void,
): Observer {
  // The observer receives only the changes of its own type.
  return { type, observe: observe as Observer["observe"] };
}

export interface InvariantContext {
  readonly clock: Clock;
  /** The objects as of the change that is being inspected. */
  readonly known: Known;
  readonly timers: TimerProfile;
  readonly quietPeriod: QuietPeriod;
  /** Returns the disks of the cluster's cloud; empty without a cloud. */
  readonly disks: () => readonly AttachableDisk[];
  /** Returns the driver's names of the copies that snapshots have created. */
  readonly copiesOfDisks: () => readonly string[];
  readonly clocks: SteadyClocks;
  readonly viewClocks: ViewClocks;
  readonly working: WorkingNodes;
  /** All caches with which processes follow the server at present. */
  readonly copies: () => Iterable<Copy>;
  /** The fill levels of the work queues of all running processes. */
  readonly levels: () => Iterable<Level>;
  /** The store's revision when the checks began. */
  readonly revision: number;
}

/** Counts one check: with the fault, or `undefined` if the invariant holds. */
export type Check = (broken: string | undefined) => void;

/** A committed change of a parsed kind: one event for all its observers. */
export interface Seen<T> {
  readonly type: "put" | "delete";
  readonly change: CommittedChange;
  /** The object after the change; for a delete, its last state. */
  readonly object: T;
  /** The object before the change. */
  readonly before: T | undefined;
}

export interface Violation {
  /** "bindings-hold". */
  readonly invariant: string;
  readonly message: string;
  readonly revision: number;
  readonly atMs: number;
}
