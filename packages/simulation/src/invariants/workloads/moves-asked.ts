import {
  controllerOf,
  isPodReady,
  type Pod,
  rebalanceAnnotation,
  podDisruptionBudgets,
  pods,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { BudgetTallies } from "../observed/budget-tally.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";
import { isMove, ownerOfMoved, recordedMove } from "../observed/moves.ts";

/**
 * A rebalance never goes below the number of pods that a budget requires, regardless of the
 * profile.
 */
export function movesRespectBudgets({ known }: InvariantContext): Invariant {
  const tallies = new BudgetTallies(known);

  return {
    name: "moves-respect-budgets",
    never: "a Ready pod that a rebalance moves although its budget allows no disruption",
    observes: [
      onKind(pods, (seen, check) => {
        if (known.of(podDisruptionBudgets).size === 0) return;
        const isTaken = isMove(seen, known) && seen.before !== undefined && isPodReady(seen.before);
        for (const broken of tallies.podChanged(seen.object, isTaken)) check(broken);
      }),
      onKind(podDisruptionBudgets, ({ type, object, change }) => {
        tallies.follow(change.entry.key, type === "delete" ? undefined : object);
      }),
    ],
  };
}

/**
 * A rebalance moves only pods that may move, and only after it has recorded the move on the owner,
 * because otherwise the next process could not detect the move.
 */
export function movesArePermitted({ known }: InvariantContext): Invariant {
  /** UIDs of the pods that a record has named. */
  const named = new Set<string>();
  const note = (uid: string) => void (uid !== "" && named.add(uid));

  return {
    name: "moves-are-permitted",
    never:
      "a pod that a rebalance moves without a record, from a Job, a DaemonSet or an owner that does not permit it, or from a StatefulSet that has not requested it",
    observes: [
      onKind(replicaSets, ({ object }) => note(recordedMove(object))),
      onKind(replicationControllers, ({ object }) => note(recordedMove(object))),
      onKind(statefulSets, ({ object }) => note(recordedMove(object))),
      onKind(pods, (seen, check) => {
        if (seen.type === "delete") named.delete(seen.object.metadata.uid ?? "");
        if (isMove(seen, known)) check(brokenBy(seen.object));
      }),
    ],
  };

  function brokenBy(pod: Pod): string | undefined {
    const owner = ownerOfMoved(pod, known);
    const kind = controllerOf(pod)?.kind ?? "nothing";
    // An owner that is deleted during a move existed when the move began.
    if (owner === undefined && (kind === "ReplicaSet" || kind === "ReplicationController")) return undefined;
    if (owner === undefined) return `pod ${nameOf(pod)}, which belongs to a ${kind}, is moved`;
    const choice = owner.metadata.annotations?.[rebalanceAnnotation];
    if (choice === "false" || (kind === "StatefulSet" && choice !== "true"))
      return `pod ${nameOf(pod)} is moved, but its ${kind} has ${choice ?? "no annotation"}`;
    if (named.has(pod.metadata.uid ?? "")) return undefined;
    return `pod ${nameOf(pod)} is moved, but no record of ${nameOf(owner)} has named it`;
  }
}
