import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import type { RejectedRows } from "../cluster-state/columns/rejected-rows.ts";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Reservation } from "../cluster-state/storage.ts";
import type { ClusterEvent } from "../cluster-state/cluster-event.ts";
import type { Verdict } from "./verdict.ts";

/**
 * One concern of placing pods, in one file. A plugin may filter nodes, score them, or both. It does
 * not keep state between decisions, because its results for a pod are in the closures that it
 * returns.
 */
export interface Plugin {
  /** Upstream's name: "NodeResourcesFit". It appears in metrics, and in the rejections of a pod. */
  readonly name: string;
  /**
   * Finds the reason why the pod need not be tried yet, regardless of the nodes (upstream's
   * PreEnqueue). The pod waits for an event that `mayHelp`.
   */
  readonly preEnqueue?: PreEnqueuePlugin;
  readonly filter?: FilterPlugin;
  /**
   * The part of the cluster on which the filter depends, in addition to pod, storage and devices:
   * the node that it checks, without or with the pods on it; undefined if the filter reads more. A
   * filter of one node that was prepared for a snapshot is reused for all suppositions about it, of
   * which a preemption makes many.
   */
  readonly filterReads?: "node" | "node and its pods" | undefined;
  readonly score?: ScorePlugin;
  readonly reserve?: ReservePlugin;
  /**
   * Reports whether the event may make this plugin accept a pod that it rejected. Called on plugins
   * that filter.
   */
  mayHelp?(pod: PodInfo, event: ClusterEvent): boolean;
}

type PreEnqueuePlugin = (pod: PodInfo, snapshot: Snapshot) => PodRejection | undefined;

/**
 * Prepares a filter of nodes for one pod; "anything" if the pod has no such demand; a rejection if
 * all nodes are rejected.
 */
type FilterPlugin = (pod: PodInfo, snapshot: Snapshot) => NodeFilter | "anything" | PodRejection;

export interface NodeFilter {
  check(node: NodeInfo): Verdict;
  /**
   * Returns what `check` would return for a copy of the node with these additional pods, without
   * the copy.
   */
  checkWith?(node: NodeInfo, others: readonly PodInfo[]): Verdict;
  /**
   * Rejects the rows whose nodes `check` rejects, in passes over columns. If it is present, nodes
   * are checked only for their reasons. Unused rows may be rejected or not.
   */
  readonly rejectRows?: ((columns: NodeColumns, rejected: RejectedRows) => void) | undefined;
  /** Only these nodes are possible; the other nodes need not be tried. */
  readonly onlyNodes?: ReadonlySet<string>;
}

/** All nodes are rejected (upstream's PreFilter status). */
interface PodRejection {
  readonly because: string;
}

/**
 * Chooses what the pod needs in addition to its room on the node (upstream's Reserve), as the
 * objects that have to be written before the pod is bound; undefined if nothing has to be written.
 * Called with a node that passed the filters.
 */
type ReservePlugin = (pod: PodInfo, node: NodeInfo, snapshot: Snapshot) => Reservation | undefined;

interface ScorePlugin {
  /** The weight of the plugin's scores, 0 to 100, relative to other plugins. */
  readonly weight: number;
  /**
   * Prepares the scores of the feasible nodes for one pod; "indifferent" if all nodes have the same
   * score.
   */
  prepare(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): NodeScorer | "indifferent";
}

export interface NodeScorer {
  /** Writes for each row, in their order, the same number as `score` returns for its node. */
  readonly scoreRows?: ((columns: NodeColumns, rows: Int32Array, scores: Float64Array) => void) | undefined;
  /** 0 to 100, or any number if `rescale` brings it into that range. */
  readonly score: (node: NodeInfo) => number;
  /** Changes the scores of all feasible nodes in place. */
  readonly rescale?: (scores: Float64Array) => void;
}

/** The highest score that a plugin gives a node. */
export const scoreMax = 100;

/**
 * Scales scores so that the highest is 100 (upstream's DefaultNormalizeScore); with `reverse` the
 * lowest is the best.
 */
export function stretch(scores: Float64Array, reverse = false): void {
  let highest = 0;
  for (let i = 0; i < scores.length; i++) highest = Math.max(highest, scores[i] as number);
  for (let i = 0; i < scores.length; i++) {
    const share = highest === 0 ? 0 : Math.floor((scoreMax * (scores[i] as number)) / highest);
    scores[i] = reverse ? scoreMax - share : share;
  }
}
