import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { RejectionReason } from "../../framework/rejection-reason.ts";
import type { Verdict } from "../../framework/verdict.ts";

export type NodeRejection = Extract<Verdict, { fits: false }>;

/** The rejection of a node, with the plugin that rejects it. */
export interface PluginRejection {
  readonly plugin: string;
  readonly verdict: NodeRejection;
}

/** Returns the first rejection of a node; undefined if the pod fits. */
export type RunFilters = (node: NodeInfo) => PluginRejection | undefined;

/** The reasons why a pod does not fit, node by node. */
export interface Rejections {
  readonly nodeCount: number;
  /** The reason why all nodes are rejected, if it was found before any node was tried. */
  readonly podBecause: string | undefined;
  readonly byNode: ReadonlyMap<string, NodeRejection>;
  /**
   * Nodes that were not inspected, because the pod names other nodes; undefined if all nodes were
   * inspected.
   */
  readonly passedOver: { readonly count: number; readonly because: readonly RejectionReason[] } | undefined;
  /**
   * Names of the plugins that rejected the pod, or a node for it. Events of these plugins may make
   * the pod schedulable.
   */
  readonly plugins: ReadonlySet<string>;
}

export interface FilterResult {
  readonly feasible: readonly NodeInfo[];
  /** The rows of these nodes, if they were found by columns. */
  readonly rows?: Int32Array;
  /**
   * Collects the reasons, which costs a multiple of the decision if many nodes reject the pod. The
   * function may be called until the cluster changes.
   */
  rejections(): Rejections;
}

/** Runs the filters on these nodes, one after another. */
export function filterEach(
  nodes: readonly NodeInfo[],
  { nodeCount, run }: { nodeCount: number; run: RunFilters },
): FilterResult {
  const byNode = new Map<string, NodeRejection>();
  const rejecting = new Set<string>();
  const feasible = nodes.filter((node) => {
    const rejection = run(node);
    if (rejection === undefined) return true;
    byNode.set(node.name, rejection.verdict);
    rejecting.add(rejection.plugin);
    return false;
  });
  const rejections = { nodeCount, podBecause: undefined, byNode, passedOver: undefined, plugins: rejecting };
  return { feasible, rejections: () => rejections };
}
