import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Plugin } from "../framework/plugin.ts";

interface Scored {
  readonly feasible: readonly NodeInfo[];
  /** The rows of the feasible nodes; computed if absent. */
  readonly rows?: Int32Array | undefined;
  readonly plugins: readonly Plugin[];
}

/**
 * Chooses one of the feasible nodes with the highest score.
 * @param tieBreaker is a number in [0, 1) that chooses between equal nodes, in the snapshot's
 * order.
 */
export function chooseBest(
  pod: PodInfo,
  snapshot: Snapshot,
  { tieBreaker, ...scored }: Scored & { tieBreaker: number },
): NodeInfo | undefined {
  const totals = totalScores(pod, snapshot, scored);
  let best = -Infinity;
  let equals = 0;
  for (let i = 0; i < totals.length; i++) {
    const total = totals[i] as number;
    if (total === best) equals++;
    if (total <= best) continue;
    best = total;
    equals = 1;
  }
  let left = Math.floor(tieBreaker * equals);
  for (let i = 0; i < totals.length; i++) {
    if ((totals[i] as number) === best && left-- === 0) return scored.feasible[i];
  }
  return undefined;
}

/** The sum of the plugins' weighted scores of each feasible node, in the order of the nodes. */
export function totalScores(
  pod: PodInfo,
  snapshot: Snapshot,
  { feasible, plugins, rows = rowsOf(feasible) }: Scored,
): Float64Array {
  const { columns } = snapshot;
  const totals = new Float64Array(feasible.length);
  const scores = new Float64Array(feasible.length);
  for (const { score: plugin } of plugins) {
    const scorer = plugin?.prepare(pod, snapshot, feasible) ?? "indifferent";
    if (plugin === undefined || scorer === "indifferent") continue;
    if (columns !== undefined && scorer.scoreRows !== undefined) {
      scorer.scoreRows(columns, rows, scores.fill(0));
    } else {
      for (const [i, node] of feasible.entries()) scores[i] = scorer.score(node);
    }
    scorer.rescale?.(scores);
    const { weight } = plugin;
    for (let i = 0; i < totals.length; i++) totals[i] = (totals[i] as number) + (scores[i] as number) * weight;
  }
  return totals;
}

// Passes over all nodes use an index, because iterators and callbacks cost a multiple of the pass.
// Columns are read in place, because a function that reads several kinds of columns is as slow as
// the slowest kind.

function rowsOf(nodes: readonly NodeInfo[]): Int32Array {
  const rows = new Int32Array(nodes.length);
  for (let i = 0; i < rows.length; i++) rows[i] = (nodes[i] as NodeInfo).row;
  return rows;
}
