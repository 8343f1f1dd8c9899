import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import type { RejectedRows } from "../cluster-state/columns/rejected-rows.ts";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Reservation } from "../cluster-state/storage.ts";
import type { ClusterEvent } from "../cluster-state/cluster-event.ts";
import type { Verdict } from "./verdict.ts";

/**
 * One concern of placing pods, in one file. A plugin may filter nodes, score them, or both. It
 * keeps nothing between decisions: its results for a pod live in the closures that it returns.
 */
export interface Plugin {
  /** Upstream's name: "NodeResourcesFit". It shows in metrics, and in the rejections of a pod. */
  readonly name: string;
  /**
   * Finds the reason why the pod need not be tried yet, whatever the nodes are (upstream's
   * PreEnqueue). It waits for an event that `mayHelp`.
   */
  readonly preEnqueue?: PreEnqueuePlugin;
  readonly filter?: FilterPlugin;
  /**
   * The part of the cluster on which the filter depends, beside pod, storage and devices: the node
   * that it checks, without or with the pods on it; undefined for more. A filter of one node that
   * was prepared for a snapshot serves for all suppositions about it, which are many where a pod
   * preempts.
   */
  readonly filterReads?: "node" | "node and its pods" | undefined;
  readonly score?: ScorePlugin;
  readonly reserve?: ReservePlugin;
  /**
   * Reports whether the event may let a pod pass that this plugin rejected. Called on plugins that
   * filter.
   */
  mayHelp?(pod: PodInfo, event: ClusterEvent): boolean;
}

type PreEnqueuePlugin = (pod: PodInfo, snapshot: Snapshot) => PodRejection | undefined;

/**
 * Prepares a filter of nodes for one pod; "anything" if the pod makes no such demand; a rejection
 * if no node can do.
 */
type FilterPlugin = (pod: PodInfo, snapshot: Snapshot) => NodeFilter | "anything" | PodRejection;

export interface NodeFilter {
  check(node: NodeInfo): Verdict;
  /** The same as `check` of a copy of the node that has these pods too, without the copy. */
  checkWith?(node: NodeInfo, others: readonly PodInfo[]): Verdict;
  /**
   * Rejects the rows whose nodes `check` rejects, in passes over columns. Where it is present,
   * nodes are checked for their reasons only. Rows that are no node's may be rejected or not.
   */
  readonly rejectRows?: ((columns: NodeColumns, rejected: RejectedRows) => void) | undefined;
  /** Only these nodes can do; the others need not be tried. */
  readonly onlyNodes?: ReadonlySet<string>;
}

/** No node can do (upstream's PreFilter status). */
interface PodRejection {
  readonly because: string;
}

/**
 * Chooses what the pod needs beside its room on the node (upstream's Reserve), as the objects that
 * have to be written before the pod is bound; undefined where there are none. Called with a node
 * that passed the filters.
 */
type ReservePlugin = (pod: PodInfo, node: NodeInfo, snapshot: Snapshot) => Reservation | undefined;

interface ScorePlugin {
  /** The factor by which the plugin's scores, 0 to 100, count against those of others. */
  readonly weight: number;
  /**
   * Prepares the scores of the feasible nodes for one pod; "indifferent" if they are all the same
   * to it.
   */
  prepare(pod: PodInfo, snapshot: Snapshot, feasible: readonly NodeInfo[]): NodeScorer | "indifferent";
}

export interface NodeScorer {
  /** Writes for each row, in their order, the same number as `score` returns for its node. */
  readonly scoreRows?: ((columns: NodeColumns, rows: Int32Array, scores: Float64Array) => void) | undefined;
  /** 0 to 100, or anything if `rescale` makes it so. */
  readonly score: (node: NodeInfo) => number;
  /** Changes the scores of all feasible nodes in their place. */
  readonly rescale?: (scores: Float64Array) => void;
}

/** The best a node can be to a plugin. */
export const scoreMax = 100;

/**
 * Stretches scores so that the highest is 100 (upstream's DefaultNormalizeScore); `reverse` makes
 * the lowest the best.
 */
export function stretch(scores: Float64Array, reverse = false): void {
  let highest = 0;
  for (let i = 0; i < scores.length; i++) highest = Math.max(highest, scores[i] as number);
  for (let i = 0; i < scores.length; i++) {
    const share = highest === 0 ? 0 : Math.floor((scoreMax * (scores[i] as number)) / highest);
    scores[i] = reverse ? scoreMax - share : share;
  }
}
