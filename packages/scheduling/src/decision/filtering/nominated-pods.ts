import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import type { Snapshot } from "../../cluster-state/snapshot.ts";
import { Supposition } from "../../cluster-state/supposition.ts";
import type { Plugin } from "../../framework/plugin.ts";
import type { PluginRejection } from "./filter-result.ts";
import { type PreparedFilter, runPreFilter, rejectionOfPod } from "./pre-filter.ts";
import { runOneNodeFilters, runFilters } from "./run-filters.ts";

/**
 * Pods for which room is being made on the node count as placed there if they are as important as
 * this pod, because this pod must not use their room. This pod also has to fit without these pods,
 * because they may be placed on other nodes (upstream's RunFilterPluginsWithNominatedPods).
 */
export function runFiltersWithNominatedPods(
  pod: PodInfo,
  node: NodeInfo,
  {
    snapshot,
    plugins,
    prepared,
  }: { snapshot: Snapshot; plugins: readonly Plugin[]; prepared: readonly PreparedFilter[] },
): PluginRejection | undefined {
  const nominated = nominatedPods(pod, node, snapshot);
  if (nominated.length > 0) {
    const ofOneNode = runOneNodeFilters(prepared, node, nominated);
    if (ofOneNode.rejection !== undefined) return ofOneNode.rejection;
    const supposition = new Supposition(snapshot, node);
    for (const other of nominated) supposition.node.put(other);
    const filters = runPreFilter(pod, supposition, { plugins, earlier: prepared });
    const rejection = "because" in filters ? rejectionOfPod(filters) : runFilters(filters, supposition.node);
    if (rejection !== undefined) return rejection;
  }
  return runFilters(prepared, node);
}

/** The pods for which room is being made on the node, and whose room this pod must not use. */
export function nominatedPods(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): readonly PodInfo[] {
  if (!snapshot.hasNominations) return [];
  return [...snapshot.nominatedOn(node.name)].filter(
    ({ uid, priority }) => uid !== pod.uid && priority >= pod.priority,
  );
}
