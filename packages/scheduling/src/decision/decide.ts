import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Plugin } from "../framework/plugin.ts";
import { filterNodes, untimed } from "./filter-nodes.ts";
import type { Rejections } from "./filtering/filter-result.ts";
import { chooseBest } from "./score-nodes.ts";
import type { Timed } from "./filter-nodes.ts";

export interface DecisionOptions {
  readonly plugins: readonly Plugin[];
  /**
   * A number in [0, 1) that chooses between several best nodes, so that equal nodes fill evenly.
   */
  readonly tieBreaker: number;
  /** Does a part of the work, and may measure its duration. */
  readonly timed?: Timed;
}

/** The node of a pod, or the reasons why the pod does not fit any node. */
export type Decision =
  | { placed: true; node: string; evaluated: number; feasible: number }
  | { placed: false; rejections: Rejections };

/** Chooses a node for the pod: the highest score among the nodes that pass all filters. Pure. */
export function decide(pod: PodInfo, snapshot: Snapshot, options: DecisionOptions): Decision {
  const { timed = untimed } = options;
  const filtered = filterNodes(pod, snapshot, { plugins: options.plugins, timed });
  const [first] = filtered.feasible;
  if (first === undefined) return { placed: false, rejections: filtered.rejections() };
  const { feasible, rows } = filtered;
  const isOnly = feasible.length === 1;
  const best = isOnly ? first : timed("Score", () => chooseBest(pod, snapshot, { ...options, feasible, rows }));
  const chosen = best ?? first;
  return { placed: true, node: chosen.name, evaluated: snapshot.nodes.length, feasible: feasible.length };
}
