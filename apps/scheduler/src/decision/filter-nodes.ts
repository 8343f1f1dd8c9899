import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { NodeFilter, Plugin } from "../framework/plugin.ts";
import type { Timed } from "./decide.ts";
import { neverFits, type Verdict } from "../framework/verdict.ts";

type Refusal = Extract<Verdict, { fits: false }>;

/** Why a pod does not fit, node by node. */
export interface Rejections {
  readonly nodeCount: number;
  /** Why no node can do, if that was clear before looking at any. */
  readonly podBecause: string | undefined;
  readonly byNode: ReadonlyMap<string, Refusal>;
  /** Names of the plugins that rejected the pod, or a node for it: their events may change something. */
  readonly plugins: ReadonlySet<string>;
}

export interface FilterResult {
  readonly feasible: readonly NodeInfo[];
  readonly rejections: Rejections;
}

/** Asks the plugins, in order, about each node. The first that rejects a node gives the reason. */
export function filterNodes(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins, timed }: { plugins: readonly Plugin[]; timed: Timed },
): FilterResult {
  const prepared = timed("PreFilter", () => prepareFilters(pod, snapshot, plugins));
  const nodeCount = snapshot.nodes.length;
  if ("because" in prepared) {
    const rejections: Rejections = {
      nodeCount,
      podBecause: prepared.because,
      byNode: new Map(snapshot.nodes.map(({ name }) => [name, neverFits(prepared.because) as Refusal])),
      plugins: new Set([prepared.plugin]),
    };
    return { feasible: [], rejections };
  }
  return timed("Filter", () => askEach(prepared, snapshot));
}

function askEach(prepared: readonly PreparedFilter[], snapshot: Snapshot): FilterResult {
  const byNode = new Map<string, Refusal>();
  const rejecting = new Set<string>();
  const feasible = snapshot.nodes.filter((node) => {
    const refusal = firstRefusal(prepared, node);
    if (refusal === undefined) return true;
    byNode.set(node.name, refusal.verdict);
    rejecting.add(refusal.plugin);
    return false;
  });
  return {
    feasible,
    rejections: { nodeCount: snapshot.nodes.length, podBecause: undefined, byNode, plugins: rejecting },
  };
}

interface PreparedFilter {
  readonly plugin: string;
  readonly filter: NodeFilter;
}

function prepareFilters(
  pod: PodInfo,
  snapshot: Snapshot,
  plugins: readonly Plugin[],
): readonly PreparedFilter[] | { plugin: string; because: string } {
  const filters: PreparedFilter[] = [];
  for (const { name, filter } of plugins) {
    const prepared = filter?.(pod, snapshot) ?? "anything";
    if (prepared === "anything") continue;
    if ("because" in prepared) return { plugin: name, because: prepared.because };
    filters.push({ plugin: name, filter: prepared });
  }
  return filters;
}

function firstRefusal(
  filters: readonly PreparedFilter[],
  node: NodeInfo,
): { plugin: string; verdict: Refusal } | undefined {
  for (const { plugin, filter } of filters) {
    if (filter.onlyNodes?.has(node.name) === false) {
      return { plugin, verdict: neverFits(`node(s) didn't satisfy plugin(s) [${plugin}]`) as Refusal };
    }
  }
  for (const { plugin, filter } of filters) {
    const verdict = filter.check(node);
    if (!verdict.fits) return { plugin, verdict };
  }
  return undefined;
}
