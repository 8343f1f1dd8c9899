import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { PodInfo } from "../../cluster-state/pod-info.ts";
import { neverFits } from "../../framework/verdict.ts";
import type { PluginRejection, NodeRejection } from "./filter-result.ts";
import type { PreparedFilter } from "./pre-filter.ts";

/**
 * Runs the filters on a node up to the first rejection (upstream's RunFilterPlugins). The first
 * `passed` filters are known to accept the node.
 */
export function runFilters(
  filters: readonly PreparedFilter[],
  node: NodeInfo,
  passed = 0,
): PluginRejection | undefined {
  const unnamed = rejectionByName(filters, node);
  if (unnamed !== undefined) return unnamed;
  for (let at = passed; at < filters.length; at++) {
    const { plugin, filter } = filters[at] as PreparedFilter;
    const verdict = filter.check(node);
    if (!verdict.fits) return { plugin, verdict };
  }
  return undefined;
}

function rejectionByName(filters: readonly PreparedFilter[], node: NodeInfo): PluginRejection | undefined {
  for (const { plugin, filter } of filters) {
    if (filter.onlyNodes !== undefined && !filter.onlyNodes.has(node.name)) {
      return { plugin, verdict: verdictOnUnnamed(plugin) };
    }
  }
  return undefined;
}

/** Returns the verdict of a plugin on a node that the pod does not name. */
export function verdictOnUnnamed(plugin: string): NodeRejection {
  return neverFits({ code: "OtherNodesNamed", plugin }) as NodeRejection;
}

interface OneNodeResult {
  readonly rejection: PluginRejection | undefined;
  /** The number of filters, from the first on, that the node passes. */
  readonly passed: number;
}

/**
 * Runs the filters on the node with these additional pods, up to the first filter that reads
 * several nodes or needs a copy of the node.
 */
export function runOneNodeFilters(
  prepared: readonly PreparedFilter[],
  node: NodeInfo,
  others: readonly PodInfo[],
): OneNodeResult {
  const unnamed = rejectionByName(prepared, node);
  if (unnamed !== undefined) return { rejection: unnamed, passed: 0 };
  let passed = 0;
  for (const { plugin, filter, reads } of prepared) {
    if (reads === undefined) break;
    const isAlike = reads === "node" || others.length === 0;
    const verdict = isAlike ? filter.check(node) : filter.checkWith?.(node, others);
    if (verdict === undefined) break;
    if (!verdict.fits) return { rejection: { plugin, verdict }, passed };
    passed++;
  }
  return { rejection: undefined, passed };
}
