import type { NodeColumns } from "../cluster-state/columns/node-columns.ts";
import { RejectedRows } from "../cluster-state/columns/rejected-rows.ts";
import { invariant } from "../cluster-state/invariant.ts";
import type { NodeInfo } from "../cluster-state/node-info.ts";
import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import { Supposition } from "../cluster-state/supposition.ts";
import type { NodeFilter, Plugin } from "../framework/plugin.ts";
import type { RejectionReason } from "../framework/rejection-reason.ts";
import { neverFits, type Verdict } from "../framework/verdict.ts";

export type NodeRefusal = Extract<Verdict, { fits: false }>;

interface NamedRefusal {
  readonly plugin: string;
  readonly verdict: NodeRefusal;
}

type Ask = (node: NodeInfo) => NamedRefusal | undefined;

/** The reasons why a pod does not fit, node by node. */
export interface Rejections {
  readonly nodeCount: number;
  /** The reason why no node can do, if that was clear before any node was tried. */
  readonly podBecause: string | undefined;
  readonly byNode: ReadonlyMap<string, NodeRefusal>;
  /** Nodes that were not looked at, because the pod names others; undefined if there are none. */
  readonly passedOver: { readonly count: number; readonly because: readonly RejectionReason[] } | undefined;
  /**
   * Names of the plugins that rejected the pod, or a node for it: their events may change
   * something.
   */
  readonly plugins: ReadonlySet<string>;
}

export interface FilterResult {
  readonly feasible: readonly NodeInfo[];
  /** The rows of these nodes, where they were found by columns. */
  readonly rows?: Int32Array;
  /**
   * Collects the reasons, which costs a multiple of the decision where many nodes reject the pod.
   * It may be called until the cluster changes.
   */
  rejections(): Rejections;
}

interface FilterOptions {
  readonly plugins: readonly Plugin[];
  /** Does a part of the work, and may measure it. */
  readonly timed?: Timed;
}

/** Runs the plugins, in order, on each node. The first that rejects a node gives the reason. */
export function filterNodes(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins, timed = untimed }: FilterOptions,
): FilterResult {
  const prepared = timed("PreFilter", () => prepareFilters(pod, snapshot, { plugins }));
  const nodeCount = snapshot.nodes.length;
  if ("because" in prepared) {
    const rejections: Rejections = {
      nodeCount,
      podBecause: prepared.because,
      byNode: new Map(
        snapshot.nodes.map(({ name }) => [name, neverFits({ code: "Fault", text: prepared.because }) as NodeRefusal]),
      ),
      passedOver: undefined,
      plugins: new Set([prepared.plugin]),
    };
    return { feasible: [], rejections: () => rejections };
  }
  const ask = (node: NodeInfo) => firstRefusalWithNominated(pod, node, { snapshot, plugins, prepared });
  return timed("Filter", () => {
    const named = prepared.find(({ filter }) => filter.onlyNodes !== undefined);
    const ofNominated = askNominated(pod, snapshot, ask);
    if (ofNominated !== undefined) return ofNominated;
    if (named !== undefined) return askNamed(snapshot, named, ask);
    const { columns } = snapshot;
    return columns === undefined ? askAll(snapshot, ask) : askColumns({ snapshot, prepared, columns }, ask);
  });
}

/** The filters that are prepared for a pod, once for all suppositions about a snapshot. */
export interface Supposing {
  readonly pod: PodInfo;
  readonly plugins: readonly Plugin[];
  /** Undefined where no node can do. */
  readonly prepared: readonly PreparedFilter[] | undefined;
}

export function prepareSuppositions(pod: PodInfo, snapshot: Snapshot, plugins: readonly Plugin[]): Supposing {
  const prepared = prepareFilters(pod, snapshot, { plugins });
  return { pod, plugins, prepared: "because" in prepared ? undefined : prepared };
}

/** Returns the reason why the pod does not fit the node of a supposition; undefined if it fits. */
export function refusalOnSupposed(
  { pod, plugins, prepared }: Supposing,
  supposed: Supposition,
): NamedRefusal | undefined {
  const { node } = supposed;
  const beside = nominatedBeside(pod, node, supposed);
  const sooner = askOneNodeFilters(prepared ?? [], node, beside);
  if (sooner.refusal !== undefined) return sooner.refusal;
  const anew = prepareFilters(pod, supposed, { plugins, earlier: prepared });
  if ("because" in anew) return refusedBy(anew);
  // The filters that the node has passed are the first of these, too.
  if (beside.length === 0) return firstRefusal(anew, node, sooner.passed);
  return firstRefusalWithNominated(pod, node, { snapshot: supposed, plugins, prepared: anew });
}

/** The pod goes where room was made for it, once it fits there: the other nodes are not tried. */
function askNominated(pod: PodInfo, snapshot: Snapshot, ask: Ask): FilterResult | undefined {
  const nodeName = snapshot.nominatedNode(pod.uid);
  const node = nodeName === undefined ? undefined : snapshot.find(nodeName);
  if (node === undefined || ask(node) !== undefined) return undefined;
  const nodeCount = snapshot.nodes.length;
  const byNode = new Map<string, NodeRefusal>();
  const rejections = { nodeCount, podBecause: undefined, byNode, passedOver: undefined, plugins: new Set<string>() };
  return { feasible: [node], rejections: () => rejections };
}

function askAll(snapshot: Snapshot, ask: Ask): FilterResult {
  return askEach(snapshot.nodes, { nodeCount: snapshot.nodes.length, ask });
}

/** A DaemonSet's pod names its node: the others cost nothing, however many they are. */
function askNamed(snapshot: Snapshot, { plugin, filter }: PreparedFilter, ask: Ask): FilterResult {
  const nodeCount = snapshot.nodes.length;
  const nodes = [...(filter.onlyNodes ?? [])].flatMap((name) => snapshot.find(name) ?? []);
  const asked = askEach(nodes, { nodeCount, ask });
  const count = nodeCount - nodes.length;
  if (count === 0) return asked;
  const rejections = asked.rejections();
  const passedOver = { count, because: notNamed(plugin).because };
  const withOthers = { ...rejections, passedOver, plugins: new Set([...rejections.plugins, plugin]) };
  return { feasible: asked.feasible, rejections: () => withOthers };
}

function askEach(nodes: readonly NodeInfo[], { nodeCount, ask }: { nodeCount: number; ask: Ask }): FilterResult {
  const byNode = new Map<string, NodeRefusal>();
  const rejecting = new Set<string>();
  const feasible = nodes.filter((node) => {
    const refusal = ask(node);
    if (refusal === undefined) return true;
    byNode.set(node.name, refusal.verdict);
    rejecting.add(refusal.plugin);
    return false;
  });
  const rejections = { nodeCount, podBecause: undefined, byNode, passedOver: undefined, plugins: rejecting };
  return { feasible, rejections: () => rejections };
}

/**
 * Pods for which room is being made on the node count as if they were there, if they are as
 * important as this one: it must not take that room. And it has to fit without them too: they may
 * go elsewhere yet (upstream's RunFilterPluginsWithNominatedPods).
 */
function firstRefusalWithNominated(
  pod: PodInfo,
  node: NodeInfo,
  {
    snapshot,
    plugins,
    prepared,
  }: { snapshot: Snapshot; plugins: readonly Plugin[]; prepared: readonly PreparedFilter[] },
): NamedRefusal | undefined {
  const nominated = nominatedBeside(pod, node, snapshot);
  if (nominated.length > 0) {
    const sooner = askOneNodeFilters(prepared, node, nominated);
    if (sooner.refusal !== undefined) return sooner.refusal;
    const supposed = new Supposition(snapshot, node);
    for (const other of nominated) supposed.node.put(other);
    const withThem = prepareFilters(pod, supposed, { plugins, earlier: prepared });
    const refusal = "because" in withThem ? refusedBy(withThem) : firstRefusal(withThem, supposed.node);
    if (refusal !== undefined) return refusal;
  }
  return firstRefusal(prepared, node);
}

/** The pods for which room is being made on the node, and that this one must not take it from. */
function nominatedBeside(pod: PodInfo, node: NodeInfo, snapshot: Snapshot): readonly PodInfo[] {
  if (!snapshot.hasNominations) return [];
  return [...snapshot.nominatedOn(node.name)].filter(
    ({ uid, priority }) => uid !== pod.uid && priority >= pod.priority,
  );
}

interface OneNodeAnswer {
  readonly refusal: NamedRefusal | undefined;
  /** The number of filters, from the first on, that the node passes. */
  readonly passed: number;
}

/**
 * Asks the filters before all those that read more than one node, about the node with these pods
 * beside its own, as long as that needs no copy of it.
 */
function askOneNodeFilters(
  prepared: readonly PreparedFilter[],
  node: NodeInfo,
  others: readonly PodInfo[],
): OneNodeAnswer {
  const unnamed = refusalByName(prepared, node);
  if (unnamed !== undefined) return { refusal: unnamed, passed: 0 };
  let passed = 0;
  for (const { plugin, filter, reads } of prepared) {
    if (reads === undefined) break;
    const isAlike = reads === "node" || others.length === 0;
    const verdict = isAlike ? filter.check(node) : filter.checkWith?.(node, others);
    if (verdict === undefined) break;
    if (!verdict.fits) return { refusal: { plugin, verdict }, passed };
    passed++;
  }
  return { refusal: undefined, passed };
}

interface ByColumns {
  readonly snapshot: Snapshot;
  readonly prepared: readonly PreparedFilter[];
  readonly columns: NodeColumns;
}

/**
 * The same as `askAll`. Most filters pass over columns; a node itself is asked by filters that have
 * no columns, where pods are nominated, and for the reason why it rejects the pod.
 */
function askColumns({ snapshot, prepared, columns }: ByColumns, ask: Ask): FilterResult {
  const { nodes } = snapshot;
  const rejected = new RejectedRows(columns.limit);
  for (const [index, { filter }] of prepared.entries()) {
    rejected.beginFilter(index);
    if (filter.rejectRows !== undefined) filter.rejectRows(columns, rejected);
    else for (const node of nodes) if (!rejected.has(node.row) && !filter.check(node).fits) rejected.add(node.row);
  }
  // The reasons of nodes with nominated pods may be theirs, and are asked for in full.
  const withNominated = new Set<string>();
  for (const name of snapshot.nominatedNodes()) {
    withNominated.add(name);
    const node = snapshot.find(name);
    if (node !== undefined && !rejected.has(node.row) && ask(node) !== undefined) rejected.add(node.row);
  }
  const { feasible, rows } = remaining(snapshot, rejected);
  return {
    feasible,
    rows,
    rejections: () => {
      const askOnce: Ask = (node) => {
        const first = prepared[rejected.filterOf(node.row) ?? -1];
        if (first === undefined || withNominated.has(node.name)) return ask(node);
        const verdict = first.filter.check(node);
        invariant(!verdict.fits, `${first.plugin} rejects ${node.name} by columns, and takes it otherwise`);
        return { plugin: first.plugin, verdict };
      };
      const asked = askAll(snapshot, askOnce);
      invariant(
        asked.feasible.length === feasible.length,
        `${feasible.length} nodes fit by columns, and ${asked.feasible.length} otherwise`,
      );
      return asked.rejections();
    },
  };
}

/** The nodes whose rows are not rejected; the snapshot's own lists where that is none of them. */
function remaining({ nodes, rowOfNode }: Snapshot, rejected: RejectedRows) {
  let count = 0;
  for (let i = 0; i < rowOfNode.length; i++) if (!rejected.has(rowOfNode[i] as number)) count++;
  if (count === nodes.length) return { feasible: nodes, rows: rowOfNode };
  const feasible: NodeInfo[] = [];
  const rows = new Int32Array(count);
  for (let i = 0; i < rowOfNode.length; i++) {
    const row = rowOfNode[i] as number;
    if (rejected.has(row)) continue;
    rows[feasible.length] = row;
    feasible.push(nodes[i] as NodeInfo);
  }
  return { feasible, rows };
}

interface PreparedFilter {
  readonly plugin: string;
  readonly filter: NodeFilter;
  /** The plugin's `filterReads`, where it and all plugins before it have one. */
  readonly reads: Plugin["filterReads"];
}

interface PodRefusal {
  readonly plugin: string;
  readonly because: string;
}

function refusedBy({ plugin, because }: PodRefusal): NamedRefusal {
  return { plugin, verdict: neverFits({ code: "Fault", text: because }) as NodeRefusal };
}

interface PrepareOptions {
  readonly plugins: readonly Plugin[];
  /** The filters for the snapshot about which this one is a supposition. */
  readonly earlier?: readonly PreparedFilter[] | undefined;
}

function prepareFilters(
  pod: PodInfo,
  snapshot: Snapshot,
  { plugins, earlier }: PrepareOptions,
): readonly PreparedFilter[] | PodRefusal {
  const filters: PreparedFilter[] = [];
  let next = 0;
  let readOneNode = true;
  for (const { name, filter, filterReads } of plugins) {
    if (filter === undefined) continue;
    readOneNode &&= filterReads !== undefined;
    const known = earlier?.[next]?.plugin === name ? earlier[next++] : undefined;
    if (earlier !== undefined && filterReads !== undefined) {
      if (known !== undefined) filters.push(known);
      continue;
    }
    const prepared = filter(pod, snapshot);
    if (prepared === "anything") continue;
    if ("because" in prepared) return { plugin: name, because: prepared.because };
    filters.push({ plugin: name, filter: prepared, reads: readOneNode ? filterReads : undefined });
  }
  return filters;
}

/** The first `passed` filters are known to take the node. */
function firstRefusal(filters: readonly PreparedFilter[], node: NodeInfo, passed = 0): NamedRefusal | undefined {
  const unnamed = refusalByName(filters, node);
  if (unnamed !== undefined) return unnamed;
  for (let at = passed; at < filters.length; at++) {
    const { plugin, filter } = filters[at] as PreparedFilter;
    const verdict = filter.check(node);
    if (!verdict.fits) return { plugin, verdict };
  }
  return undefined;
}

function refusalByName(filters: readonly PreparedFilter[], node: NodeInfo): NamedRefusal | undefined {
  for (const { plugin, filter } of filters) {
    if (filter.onlyNodes !== undefined && !filter.onlyNodes.has(node.name)) {
      return { plugin, verdict: notNamed(plugin) };
    }
  }
  return undefined;
}

function notNamed(plugin: string): NodeRefusal {
  return neverFits({ code: "OtherNodesNamed", plugin }) as NodeRefusal;
}

export type Timed = <T>(point: TimedPoint, work: () => T) => T;

export const untimed: Timed = (_point, work) => work();

/** The parts of a decision that upstream times. */
export type TimedPoint = "PreFilter" | "Filter" | "Score";
