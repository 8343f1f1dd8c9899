import { amountAt } from "../cluster-state/columns/node-columns.ts";
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
  let best = -Infinity;
  for (const total of totals) best = Math.max(best, total);
  return scored.feasible.filter((_, i) => totals[i] === best);
}

/** The sum of the plugins' weighed scores of each feasible node, in the order of the nodes. */
export function totalScores(pod: PodInfo, snapshot: Snapshot, { feasible, plugins }: Scored): Float64Array {
  const totals = new Float64Array(feasible.length);
  for (const { score: plugin } of plugins) {
    const scorer = plugin?.prepare(pod, snapshot, feasible) ?? "indifferent";
    if (plugin === undefined || scorer === "indifferent") continue;
    const { weight } = plugin;
    const { columns } = snapshot;
    if (columns !== undefined && scorer.scoreRow !== undefined) {
      const scoreRow = scorer.scoreRow(columns);
      for (let i = 0; i < feasible.length; i++)
        totals[i] = amountAt(totals, i) + scoreRow((feasible[i] as NodeInfo).row) * weight;
      continue;
    }
    if (scorer.rescale === undefined) {
      for (const [i, node] of feasible.entries()) totals[i] = (totals[i] ?? 0) + scorer.score(node) * weight;
      continue;
    }
    const scores = scorer.rescale(feasible.map((node) => scorer.score(node)));
    for (const [i, score] of scores.entries()) totals[i] = (totals[i] ?? 0) + score * weight;
  }
  return totals;
}
