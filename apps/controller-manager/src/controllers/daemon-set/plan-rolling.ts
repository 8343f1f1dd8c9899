import {
  controllerRevisionHashLabel,
  type DaemonSet,
  isPodAvailable,
  isPodReady,
  type Pod,
  scaledCount,
} from "@kintsugi/api";

/** The facts about a set that decide how its old pods are replaced. */
export interface RolloutFacts {
  minReadySeconds: number;
  /** Hashes of the revisions that record the present template. */
  hashes: ReadonlySet<string>;
  /** The strategy that replaces old pods. */
  strategy: "on delete" | "stop first" | "surge";
}

/** A step of a rollout waits for maxUnavailable or maxSurge, or for enough pods on other nodes. */
export type RolloutStep = ({ do: "delete"; pod: Pod } | { do: "create" }) & { when: "now" | "room" | "enough" };

/** The number of nodes that may be without their pod, or have two pods. */
export function rolloutBound({ spec }: DaemonSet, desired: number): number {
  const { maxUnavailable = 1, maxSurge = 0 } = spec?.updateStrategy?.rollingUpdate ?? {};
  const surge = scaledCount(maxSurge, desired, "up");
  if (surgesAt(maxSurge)) return surge;
  // Validation excludes bounds that are both 0; upstream continues with one pod at a time.
  return Math.max(1, scaledCount(maxUnavailable, desired, "up"));
}

/** Reports whether the strategy allows two pods on a node. */
export function surgesAt(maxSurge: number | string): boolean {
  return scaledCount(maxSurge, 1, "up") > 0;
}

export function isUpdated({ hashes }: Pick<RolloutFacts, "hashes">, { metadata }: Pod): boolean {
  return hashes.has(metadata.labels?.[controllerRevisionHashLabel] ?? "");
}

/**
 * A surge allows one old pod that is ready in addition to one new pod that is not available yet;
 * every other pod is superfluous.
 */
export function surplusOfSurge(set: RolloutFacts, running: readonly Pod[], nowMs: number): Pod[] {
  if (running.length < 2) return [];
  const fresh = running.filter((pod) => isUpdated(set, pod));
  const old = running.filter((pod) => !isUpdated(set, pod));
  const [keptNew] = fresh;
  const [keptOld] = old;
  const others = [...fresh.slice(1), ...old.slice(1)];
  if (keptNew === undefined || keptOld === undefined) return others;
  const isOldDone = !isPodReady(keptOld) || isPodAvailable(keptNew, set.minReadySeconds, nowMs);
  return isOldDone ? [...others, keptOld] : others;
}

export interface Rolled {
  used: number;
  serving: number;
  step: RolloutStep | undefined;
}

/** The node's part of a rolling update, as in upstream's loop over the nodes in rollingUpdate. */
export function rollNode(
  set: RolloutFacts,
  pods: readonly Pod[],
  { run, nowMs }: { run: boolean; nowMs: number },
): Rolled {
  const idle: Rolled = { used: 0, serving: 0, step: undefined };
  if (set.strategy === "on delete" || (pods.length === 0 && !run)) return idle;
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const fresh = alive.filter((pod) => isUpdated(set, pod));
  const old = alive.filter((pod) => !isUpdated(set, pod));
  // Superfluous pods are removed first.
  if (fresh.length > 1 || old.length > 1) return { ...idle, used: 1 };
  const isServing = (pod: Pod | undefined) => pod !== undefined && isPodAvailable(pod, set.minReadySeconds, nowMs);
  const [newPod, oldPod] = [fresh[0], old[0]];
  const roll = set.strategy === "surge" ? rollBySurge : rollByStop;
  return roll({ newPod, oldPod, newServes: isServing(newPod), oldServes: isServing(oldPod), run });
}

interface Pair {
  newPod: Pod | undefined;
  oldPod: Pod | undefined;
  newServes: boolean;
  oldServes: boolean;
  run: boolean;
}

/** The old pod stops before the new one starts. */
function rollByStop({ newPod, oldPod, newServes, oldServes }: Pair): Rolled {
  const serving = Number(oldPod === undefined ? newServes : oldServes);
  if ((newPod === undefined) === (oldPod === undefined)) return { used: 1, serving, step: undefined };
  if (oldPod === undefined) return { used: newServes ? 0 : 1, serving, step: undefined };
  if (!oldServes) return { used: 1, serving, step: { do: "delete", pod: oldPod, when: "now" } };
  return { used: 0, serving, step: { do: "delete", pod: oldPod, when: "room" } };
}

/** The new pod starts in addition to the old pod, which stops when the new pod is available. */
function rollBySurge({ newPod, oldPod, newServes, oldServes, run }: Pair): Rolled {
  const serving = Number(oldPod === undefined ? newServes : oldServes);
  if (oldPod === undefined) return { used: 0, serving, step: undefined };
  if (newPod !== undefined) {
    if (!newServes) return { used: 1, serving, step: undefined };
    return { used: 0, serving, step: { do: "delete", pod: oldPod, when: "now" } };
  }
  if (!run) return { used: 0, serving, step: { do: "delete", pod: oldPod, when: oldServes ? "enough" : "now" } };
  return { used: 0, serving, step: { do: "create", when: oldServes ? "room" : "now" } };
}
