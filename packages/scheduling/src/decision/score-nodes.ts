import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Plugin } from "../framework/plugin.ts";

interface Scored {
  readonly feasible: readonly NodeInfo[];
  readonly plugins: readonly Plugin[];
}

/** The feasible nodes that score highest, in the snapshot's order. */
export function scoreNodes(pod: PodInfo, snapshot: Snapshot, scored: Scored): readonly NodeInfo[] {
  const totals = totalScores(pod, snapshot, scored);
  const best = totals.reduce((a, b) => Math.max(a, b), -Infinity);
  return scored.feasible.filter((_, i) => totals[i] === best);
}

/** The sum of the plugins' weighed scores of each feasible node, in the order of the nodes. */
export function totalScores(pod: PodInfo, snapshot: Snapshot, { feasible, plugins }: Scored): readonly number[] {
  const totals = feasible.map(() => 0);
  for (const { score: plugin } of plugins) {
    const scorer = plugin?.prepare(pod, snapshot, feasible) ?? "indifferent";
    if (plugin === undefined || scorer === "indifferent") continue;
    const raw = feasible.map((node) => scorer.score(node));
    const scores = scorer.rescale?.(raw) ?? raw;
    for (const [i, score] of scores.entries()) totals[i] = (totals[i] ?? 0) + score * plugin.weight;
  }
  return totals;
}
