import type { DaemonSet } from "@kintsugi/api";
import type { NodeCounts, Removal } from "./judge-node.ts";
import { rolloutBound, type RolloutStep } from "./plan-rolling.ts";

/** The sums over a set's nodes, and the nodes that wait for a step. */
export interface SetSums {
  counts: NodeCounts;
  creates: ReadonlySet<string>;
  removals: ReadonlyMap<string, readonly Removal[]>;
  rollout: Readonly<Record<RolloutStep["when"], ReadonlyMap<string, RolloutStep>>>;
}

export interface Steps {
  /** Nodes that get a new pod. */
  create: string[];
  remove: { node: string; removal: Removal }[];
  /** More steps remain than one pass carries out. */
  isCut: boolean;
}

/**
 * Pods created or deleted in one pass: upstream's BurstReplicas. A larger number would delay every
 * other set.
 */
const burst = 250;

/**
 * The steps of one pass. The work of planning depends on their number, not on the number of nodes.
 */
export function planSteps(set: DaemonSet, sums: SetSums): Steps {
  const create = new Set<string>();
  const remove = new Map<string, { node: string; removal: Removal }>();
  let isCut = false;
  const addRemoval = (node: string, removal: Removal) => {
    if (remove.size < burst) remove.set(removal.pod.metadata.uid ?? "", { node, removal });
    else isCut = true;
  };
  const addCreate = (node: string) => {
    if (create.size < burst) create.add(node);
    else isCut = true;
  };
  for (const node of upTo(sums.creates.values(), burst + 1)) addCreate(node);
  for (const [node, removals] of upTo(sums.removals, burst + 1)) for (const each of removals) addRemoval(node, each);
  for (const [node, step] of rolloutSteps(set, sums)) {
    if (step.do === "create") addCreate(node);
    // An old pod that failed does not wait for the back-off, because its replacement may succeed.
    else if (!remove.has(step.pod.metadata.uid ?? "")) addRemoval(node, { pod: step.pod });
  }
  return { create: [...create], remove: [...remove.values()], isCut };
}

function rolloutSteps(set: DaemonSet, { counts, rollout }: SetSums): [string, RolloutStep][] {
  const room = Math.max(0, rolloutBound(set, counts.desired) - counts.used);
  // A pod that serves on a node which is no longer eligible is removed when enough other pods
  // serve.
  const enough = Math.max(0, counts.serving - counts.desired);
  return [
    ...upTo(rollout.now, burst + 1),
    ...upTo(rollout.room, Math.min(room, burst + 1)),
    ...upTo(rollout.enough, Math.min(enough, burst + 1)),
  ];
}

function* upTo<T>(items: Iterable<T>, countMax: number): Generator<T, void> {
  let count = 0;
  if (countMax <= 0) return;
  for (const item of items) {
    yield item;
    if (++count >= countMax) return;
  }
}
