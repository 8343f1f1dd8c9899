import {
  type ApiObject,
  formatTimestamp,
  isApiError,
  isPodActive,
  isPodReady,
  type Pod,
  pods as podType,
  rebalanceRecordAnnotation,
} from "@kintsugi/api";
import { type Client, evictPod } from "@kintsugi/client";
import { type HeldCrowd, planRebalance, type RebalanceMove } from "./plan.ts";
import { findRecord, type RebalanceRecord } from "./record.ts";
import { judgeMove } from "./judge-move.ts";
import type { Owner, RebalanceOptions, RebalanceWorld } from "./world.ts";

// The order of writes, so that a process that begins after any of them can continue from the API:
//
//   record with `move` on the owner, by its resourceVersion ──► Eviction with the pod's UID
//        ▲ conflict: another process acts                          │ rejected: the move in
//        └─ nothing was done                                       ▼ the record is withdrawn
//                                                              the replacement is Ready ──► record

/** A budget rejected the eviction with a delay; the plan is made again after the delay. */
const evictionTimeoutMs = 5_000;
/** The eviction is based on the objects that were read before the record is written. */
const writeTimeoutMs = 5_000;

export interface RebalancerDeps {
  client: Pick<Client, "call" | "list" | "get" | "patch">;
  nowMs: () => number;
  /** Events for users, about the pod and its owner. */
  note: (note: MoveNote) => void;
}

export interface MoveNote {
  readonly reason: "Rebalanced" | "RebalanceStopped";
  readonly owner: Owner;
  /** Undefined once the pod no longer exists. */
  readonly pod: Pod | undefined;
  readonly message: string;
}

export type RebalanceStep =
  | { is: "evicted"; move: RebalanceMove }
  | { is: "refused"; move: RebalanceMove; because: string }
  | { is: "moved" | "missed" | "withdrawn"; note: string }
  | { is: "waiting"; because: string; retryAfterMs?: number }
  | { is: "nothing"; held: readonly HeldCrowd[] };

/** A move writes its record, and writes it again if the eviction is rejected. */
const replacedMax = 2;

/** Performs one step of a rebalance at a time. A restart does not lose its state. */
export class Rebalancer {
  readonly #deps: RebalancerDeps;
  readonly #options: RebalanceOptions;
  #turn = 0;
  /**
   * The copies of owners that the last writes have replaced. A plan from such a copy would not
   * include the current move, and would begin another move.
   */
  #replaced: readonly string[] = [];

  constructor(deps: RebalancerDeps, options: RebalanceOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** Ends the current move, or begins a move. */
  async step(world: RebalanceWorld, signal: AbortSignal): Promise<RebalanceStep> {
    const nowMs = this.#deps.nowMs();
    if (world.owners.some((owner) => this.#replaced.includes(versionOf(owner)))) return staleCopy;
    for (const owner of world.owners) {
      const record = findRecord(owner.object);
      if (record?.move === undefined) continue;
      const outcome = judgeMove(owner, { record, move: record.move }, { world, options: this.#options, nowMs });
      if (outcome.is === "under way") return { is: "waiting", because: outcome.because };
      if (!(await this.#writeRecord(owner, outcome.record, signal))) return staleCopy;
      if (outcome.how === "missed")
        this.#deps.note({ reason: "RebalanceStopped", owner, pod: undefined, message: stopped(outcome.note) });
      return { is: outcome.how, note: outcome.note };
    }
    const plan = planRebalance(world, this.#options, { nowMs, turn: this.#turn++ });
    if (plan.is === "move") return this.#move(plan.move, plan.mark, signal);
    return plan.is === "wait" ? { ...plan, is: "waiting" } : plan;
  }

  async #move(move: RebalanceMove, mark: string, signal: AbortSignal): Promise<RebalanceStep> {
    const { owner, pod } = move;
    if (!(await this.#isStillSo(move, signal))) return staleCopy;
    const known = findRecord(owner.object);
    const moved = known?.nodes === mark ? known.moved : [];
    const resting: RebalanceRecord = { nodes: mark, at: formatTimestamp(this.#deps.nowMs()), moved };
    const { name = "", uid = "" } = pod.metadata;
    const begun = { ...resting, move: { pod: name, uid, from: move.from, to: move.node, crowd: move.crowdBefore } };
    const written = await this.#writeRecord(owner, begun, signal);
    if (written === undefined) return staleCopy;
    try {
      await evictPod(this.#deps.client, pod, { signal, timeoutMs: evictionTimeoutMs });
    } catch (error) {
      // A lost answer is resolved by reading: the record has the move.
      if (!isApiError(error)) throw error;
      await this.#writeRecord({ ...owner, object: written }, resting, signal);
      return { is: "refused", move, because: error.message };
    }
    this.#deps.note({ reason: "Rebalanced", owner, pod, message: `Moving pod ${name}: ${move.why}` });
    return { is: "evicted", move };
  }

  /** Local copies may lag behind the end of another pod, and then two pods would be missing. */
  async #isStillSo({ owner, pod }: RebalanceMove, signal: AbortSignal): Promise<boolean> {
    const { items } = await this.#deps.client.list(podType, { namespace: owner.namespace, signal });
    const owned = items.filter(({ metadata }) =>
      (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === owner.uid),
    );
    const active = owned.filter(isPodActive);
    return (
      active.length === owner.replicas &&
      active.every(isPodReady) &&
      active.some(({ metadata }) => metadata.uid === pod.metadata.uid)
    );
  }

  /**
   * Returns the owner as it is now; undefined if it has changed since it was read, or no longer
   * exists.
   */
  async #writeRecord(owner: Owner, record: RebalanceRecord, signal: AbortSignal): Promise<ApiObject | undefined> {
    const { namespace = "", name = "", resourceVersion } = owner.object.metadata;
    const annotations = { [rebalanceRecordAnnotation]: JSON.stringify(record) };
    const body = { metadata: { resourceVersion, uid: owner.uid, annotations } };
    const key = { namespace, name };
    const written = await this.#deps.client
      .patch(owner.type, key, { type: "merge", body }, { signal, timeoutMs: writeTimeoutMs })
      .catch((error: unknown) => {
        if (isApiError(error, "Conflict", "NotFound")) return undefined;
        throw error;
      });
    this.#replaced = [...this.#replaced, versionOf(owner)].slice(-replacedMax);
    return written;
  }
}

const staleCopy: RebalanceStep = { is: "waiting", because: "the owner or its pods have changed since they were read" };

function versionOf({ uid, object }: Owner): string {
  return `${uid} ${object.metadata.resourceVersion}`;
}

function stopped(note: string): string {
  return `No further pod moves until the nodes change: ${note}`;
}
