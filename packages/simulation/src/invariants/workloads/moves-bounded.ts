import {
  controllerOf,
  findCondition,
  isPodActive,
  isPodReady,
  type Node,
  type Pod,
  nodes,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";
import { allOwners, isGivenUp, isMove, ownerOfMoved, type PodOwner, recordedMove } from "../observed/moves.ts";

/** Time in which the pods are read, the record is written, and the eviction arrives. */
const decisionMs = 10_000;
/** `decisionMs` in a quiet period, in which the steps never wait for a lost response. */
const decisionInQuietMs = 3_000;
const quietPeriodMs = 30_000;

/**
 * Only one pod moves at a time, while all other pods of its owner exist. The next pod moves when
 * the last replacement is Ready, or the owner's moves are stopped.
 */
export function movesRunOneByOne({ known, viewClocks, quietPeriod }: InvariantContext): Invariant {
  /**
   * The recorded moves of each owner, and the time from which the controller-manager can have
   * received them.
   */
  const moving = new Map<string, { pod: string; sinceMs: number }>();
  /** The last time since its last move at which all wanted pods of an owner were Ready. */
  const wholeMs = new Map<string, number>();
  /** The time of the last move of each owner that has not been complete since. */
  const missingMs = new Map<string, number>();

  return {
    name: "moves-run-one-by-one",
    never:
      "two moves of a rebalance at a time, or a move while a pod of its owner or of the previous owner is missing, unless the controller-manager cannot detect the missing pod",
    observes: [
      onKind(replicaSets, ({ type, object }) => noteOwner(object, type === "delete")),
      onKind(replicationControllers, ({ type, object }) => noteOwner(object, type === "delete")),
      onKind(statefulSets, ({ type, object }) => noteOwner(object, type === "delete")),
      onKind(pods, (seen, check) => {
        const owner = ownerOfMoved(seen.object, known);
        if (owner === undefined) return;
        if (isMove(seen, known)) {
          check(brokenBy(seen.object, owner));
          wholeMs.delete(owner.metadata.uid ?? "");
          missingMs.set(owner.metadata.uid ?? "", viewClocks.controllerManager.ms);
        }
        noteWhole(owner);
      }),
    ],
  };

  function noteOwner(owner: PodOwner, isGone: boolean): void {
    const uid = owner.metadata.uid ?? "";
    const pod = recordedMove(owner);
    if (isGone || pod === "") moving.delete(uid);
    else if (moving.get(uid)?.pod !== pod) moving.set(uid, { pod, sinceMs: viewClocks.controllerManager.ms });
    // The moves of the owner have stopped, or the owner was deleted, so the next move need not wait
    // for the owner.
    if (isGone || isGivenUp(owner)) missingMs.delete(uid);
    if (isGone) wholeMs.delete(uid);
    else noteWhole(owner);
  }

  function noteWhole(owner: PodOwner): void {
    const uid = owner.metadata.uid ?? "";
    const ready = [...known.of(pods).values()].filter(
      (pod) => controllerOf(pod)?.uid === uid && isPodActive(pod) && isPodReady(pod),
    ).length;
    if (ready < (owner.spec?.replicas ?? 1)) return;
    wholeMs.set(uid, viewClocks.controllerManager.ms);
    missingMs.delete(uid);
  }

  function brokenBy(pod: Pod, owner: PodOwner): string | undefined {
    const nowMs = viewClocks.controllerManager.ms;
    for (const other of allOwners(known)) {
      const move = moving.get(other.metadata.uid ?? "");
      if (move === undefined || other.metadata.uid === owner.metadata.uid) continue;
      // A set that a rollout has emptied retains its record, and does not wait for a replacement.
      if (other.spec?.replicas === 0) continue;
      if (nowMs - move.sinceMs > staleViewMs)
        return `pod ${nameOf(pod)} is moved while a move of ${nameOf(other)} is in progress`;
    }
    const unheardMs = quietPeriod.forMs > quietPeriodMs ? decisionInQuietMs : staleViewMs;
    for (const [uid, sinceMs] of missingMs) {
      if (uid !== owner.metadata.uid && nowMs - sinceMs > unheardMs)
        return `pod ${nameOf(pod)} is moved, but the pod that moved ${nowMs - sinceMs} ms before has no replacement`;
    }
    const heldMs = quietPeriod.forMs > quietPeriodMs ? decisionInQuietMs : decisionMs + staleViewMs;
    if (nowMs - (wholeMs.get(owner.metadata.uid ?? "") ?? -Infinity) <= heldMs) return undefined;
    return `pod ${nameOf(pod)} is moved while another pod of ${nameOf(owner)} is missing`;
  }
}

/** The times of records are whole seconds, and the eviction follows the record. */
const roundedMs = 2_000;

/** The moves of an owner end, and have a minimum distance. */
export function movesAreLimited({ known, clock, clocks, timers }: InvariantContext): Invariant {
  /** The moves of each owner since the last change of the nodes. */
  const moves = new Map<string, { count: number; lastMs: number }>();
  /** The largest number of pods that each owner wanted since that change. */
  const wanted = new Map<string, number>();

  return {
    name: "moves-are-limited",
    never:
      "more moves of an owner than it has pods while the nodes do not change, or two moves within the cool-down of a rebalance",
    observes: [
      onKind(nodes, ({ type, object, before }) => {
        if (type === "put" && before !== undefined && stateOf(object) === stateOf(before)) return;
        wanted.clear();
        for (const move of moves.values()) move.count = 0;
      }),
      onKind(pods, (seen, check) => {
        const owner = ownerOfMoved(seen.object, known);
        const { uid = "" } = owner?.metadata ?? {};
        if (owner === undefined || !isMove(seen, known)) return;
        const most = Math.max(wanted.get(uid) ?? 0, owner.spec?.replicas ?? 1);
        wanted.set(uid, most);
        const { count, lastMs } = moves.get(uid) ?? { count: 0, lastMs: -Infinity };
        const nowMs = clock.monotonicMs();
        moves.set(uid, { count: count + 1, lastMs: nowMs });
        // The first move may have been decided before the controller-manager had received the
        // nodes' change.
        const isEndless = count > most;
        const isTooSoon =
          nowMs - lastMs < timers.rebalanceCooldownMs - roundedMs &&
          clocks.steadyForMs("controller-manager") > timers.rebalanceCooldownMs;
        check(
          isEndless
            ? `pod ${nameOf(seen.object)} is the ${count + 1}th that is moved from ${nameOf(owner)}, which has ${most} pods`
            : isTooSoon
              ? `pod ${nameOf(seen.object)} is moved ${nowMs - lastMs} ms after another pod of ${nameOf(owner)}`
              : undefined,
        );
      }),
    ],
  };
}

/** All properties of a node on which a scheduler depends. */
function stateOf({ metadata, spec, status }: Node): string {
  const { taints = [], unschedulable = false } = spec ?? {};
  const ready = findCondition(status?.conditions, "Ready")?.status;
  return JSON.stringify([
    metadata.uid,
    metadata.labels,
    taints.map(({ key, effect }) => [key, effect]),
    unschedulable,
    ready,
    status?.allocatable,
  ]);
}
