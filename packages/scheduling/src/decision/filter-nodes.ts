import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Plugin } from "../framework/plugin.ts";
import { neverFits } from "../framework/verdict.ts";
import { filterByColumns } from "./filtering/columns.ts";
import {
  filterEach,
  type FilterResult,
  type NodeRejection,
  type Rejections,
  type RunFilters,
} from "./filtering/filter-result.ts";
import { runFiltersWithNominatedPods } from "./filtering/nominated-pods.ts";
import { type PreparedFilter, runPreFilter } from "./filtering/pre-filter.ts";
import { verdictOnUnnamed } from "./filtering/run-filters.ts";

interface FilterOptions {
  readonly plugins: readonly Plugin[];
  /** Does a part of the work, and may measure it. */
  readonly timed?: Timed;
}

/**
 * Runs the plugins, in order, on each node. The first plugin that rejects a node provides the
 * reason.
 */
export function filterNodes(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins, timed = untimed }: FilterOptions,
): FilterResult {
  const prepared = timed("PreFilter", () => runPreFilter(pod, snapshot, { plugins }));
  const nodeCount = snapshot.nodes.length;
  if ("because" in prepared) {
    const rejections: Rejections = {
      nodeCount,
      podBecause: prepared.because,
      byNode: new Map(
        snapshot.nodes.map(({ name }) => [name, neverFits({ code: "Fault", text: prepared.because }) as NodeRejection]),
      ),
      passedOver: undefined,
      plugins: new Set([prepared.plugin]),
    };
    return { feasible: [], rejections: () => rejections };
  }
  const run = (node: NodeInfo) => runFiltersWithNominatedPods(pod, node, { snapshot, plugins, prepared });
  return timed("Filter", () => {
    const named = prepared.find(({ filter }) => filter.onlyNodes !== undefined);
    const ofNominated = filterNominatedNode(pod, snapshot, run);
    if (ofNominated !== undefined) return ofNominated;
    if (named !== undefined) return filterNamedNodes(snapshot, named, run);
    const { columns } = snapshot;
    return columns === undefined
      ? filterEach(snapshot.nodes, { nodeCount: snapshot.nodes.length, run })
      : filterByColumns({ snapshot, prepared, columns }, run);
  });
}

/**
 * The pod is placed on its nominated node if the pod fits this node; other nodes are then not
 * tried.
 */
function filterNominatedNode(pod: PodInfo, snapshot: Snapshot, run: RunFilters): FilterResult | undefined {
  const nodeName = snapshot.nominatedNode(pod.uid);
  const node = nodeName === undefined ? undefined : snapshot.find(nodeName);
  if (node === undefined || run(node) !== undefined) return undefined;
  const nodeCount = snapshot.nodes.length;
  const byNode = new Map<string, NodeRejection>();
  const rejections = { nodeCount, podBecause: undefined, byNode, passedOver: undefined, plugins: new Set<string>() };
  return { feasible: [node], rejections: () => rejections };
}

/** A DaemonSet's pod names its node, so the number of the other nodes does not matter. */
function filterNamedNodes(snapshot: Snapshot, { plugin, filter }: PreparedFilter, run: RunFilters): FilterResult {
  const nodeCount = snapshot.nodes.length;
  const nodes = [...(filter.onlyNodes ?? [])].flatMap((name) => snapshot.find(name) ?? []);
  const filtered = filterEach(nodes, { nodeCount, run });
  const count = nodeCount - nodes.length;
  if (count === 0) return filtered;
  const rejections = filtered.rejections();
  const passedOver = { count, because: verdictOnUnnamed(plugin).because };
  const withOthers = { ...rejections, passedOver, plugins: new Set([...rejections.plugins, plugin]) };
  return { feasible: filtered.feasible, rejections: () => withOthers };
}

export type Timed = <T>(point: TimedPoint, work: () => T) => T;

export const untimed: Timed = (_point, work) => work();

/** The parts of a decision that upstream times. */
export type TimedPoint = "PreFilter" | "Filter" | "Score";
