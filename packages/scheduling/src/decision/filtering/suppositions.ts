import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import type { Supposition } from "../../cluster-state/supposition.ts";
import type { Plugin } from "../../framework/plugin.ts";
import type { PluginRejection } from "./filter-result.ts";
import { runFiltersWithNominatedPods, nominatedPods } from "./nominated-pods.ts";
import { type PreparedFilter, runPreFilter, rejectionOfPod } from "./pre-filter.ts";
import { runOneNodeFilters, runFilters } from "./run-filters.ts";

/** The filters that are prepared for a pod, once for all suppositions about a snapshot. */
export interface PreparedSuppositions {
  readonly pod: PodInfo;
  readonly plugins: readonly Plugin[];
  /** Undefined if all nodes are rejected. */
  readonly prepared: readonly PreparedFilter[] | undefined;
}

export function prepareSuppositions(
  pod: PodInfo,
  snapshot: Snapshot,
  plugins: readonly Plugin[],
): PreparedSuppositions {
  const prepared = runPreFilter(pod, snapshot, { plugins });
  return { pod, plugins, prepared: "because" in prepared ? undefined : prepared };
}

/** Returns the reason why the pod does not fit the node of a supposition; undefined if it fits. */
export function runFiltersOnSupposition(
  { pod, plugins, prepared }: PreparedSuppositions,
  supposition: Supposition,
): PluginRejection | undefined {
  const { node } = supposition;
  const nominated = nominatedPods(pod, node, supposition);
  const ofOneNode = runOneNodeFilters(prepared ?? [], node, nominated);
  if (ofOneNode.rejection !== undefined) return ofOneNode.rejection;
  const filters = runPreFilter(pod, supposition, { plugins, earlier: prepared });
  if ("because" in filters) return rejectionOfPod(filters);
  // The filters that the node has passed are also the first filters here.
  if (nominated.length === 0) return runFilters(filters, node, ofOneNode.passed);
  return runFiltersWithNominatedPods(pod, node, { snapshot: supposition, plugins, prepared: filters });
}
