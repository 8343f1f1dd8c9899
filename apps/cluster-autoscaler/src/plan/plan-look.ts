import type { Node, Pod } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import type { AutoscalerOptions } from "../model/options.ts";
import {
  type GroupBackoff,
  groupOfNode,
  isLeaving,
  isReady,
  type Memory,
  toBeDeletedKey,
  type World,
} from "../model/world.ts";
import { updatedSamples } from "../model/template-node.ts";
import { podsToMove } from "./movable-pods.ts";
import { chooseLeaving, findUnneeded, isTooSoon, type Unneeded, unneededSince } from "./scale-down.ts";
import { expect, isSomeHelpable, planScaleUp } from "./scale-up.ts";

// The steps of one inspection. Earlier steps prevent wrong decisions in later ones:
//
//   1. removals in progress continue: evict, then return the machine, or abort
//   2. machines that never became nodes, and broken nodes, are returned
//   3. waiting pods that fit nowhere, including machines that are starting, order machines
//   4. only if a machine would help no waiting pod, and no machine is starting, nodes that are not
//      needed begin to be removed

export type Action =
  | { do: "resize"; group: NodeGroup; to: number; pods: readonly Pod[] }
  | { do: "report unhelped"; pod: Pod; because: string }
  | { do: "begin removal"; leaving: Unneeded }
  | { do: "evict"; node: Node; pod: Pod }
  | { do: "removal of a node aborted"; node: Node; because: string }
  | { do: "delete machine"; group: NodeGroup; providerId: string; node: Node | undefined; because: string };

export interface Look {
  readonly actions: readonly Action[];
  readonly memory: Memory;
  /** The reasons why nodes of groups are not removed, by name, for the status. */
  readonly kept: ReadonlyMap<string, string>;
  readonly unneeded: readonly string[];
  readonly upcoming: readonly string[];
  readonly waiting: number;
}

/** The settings and the time of an inspection. */
export interface LookTime {
  readonly options: AutoscalerOptions;
  readonly nowMs: number;
}

/** Plans the next steps. Pure: the same world, memory and time give the same plan. */
export function planLook(world: World, memory: Memory, at: LookTime): Look {
  const { options, nowMs } = at;
  const removals = planRemovals(world, options, nowMs);
  const { lost, unreadySinceMs } = planLost(world, memory, at);
  const groups = backoffs(memory, lost, at);
  const actions: Action[] = [...removals, ...lost];
  const failed = removals.some((action) => action.do === "removal of a node aborted");
  const lostIds = new Set(lost.flatMap((action) => (action.do === "delete machine" ? [action.providerId] : [])));
  const upcoming = upcomingMachines(world).filter(({ id }) => !lostIds.has(id));
  const samples = updatedSamples(world.groups, world.nodes, memory.samples);
  const expectation = expect(world, upcoming, samples);
  const mayGrow = world.groups.filter(({ name }) => (groups.get(name)?.untilMs ?? 0) <= nowMs);
  const up = planScaleUp(expectation, mayGrow);
  if (up.resize !== undefined) actions.push({ do: "resize", ...up.resize, pods: up.helped });
  for (const { pod, because } of up.unhelped) actions.push({ do: "report unhelped", pod, because });
  const next: Memory = {
    unneededSinceMs: new Map(),
    unreadySinceMs,
    groups,
    samples,
    lastScaleUpMs: up.resize === undefined ? memory.lastScaleUpMs : nowMs,
    lastFailureMs: failed ? nowMs : memory.lastFailureMs,
  };
  const look = {
    kept: new Map<string, string>(),
    unneeded: [] as string[],
    upcoming: expectation.upcoming,
    waiting: expectation.left.length,
  };
  // The pods of a node whose machine no longer exists will soon wait, and need the capacity that
  // seems free.
  const isLosing = world.nodes.some(({ spec = {} }) => spec.providerID && !world.instances.has(spec.providerID));
  const isBusy =
    up.resize !== undefined || upcoming.length > 0 || isLosing || isSomeHelpable(expectation, world.groups);
  if (isBusy) return { ...look, actions, memory: next };
  const { nodes, kept } = findUnneeded(world, expectation.room, options);
  const sinceMs = unneededSince(nodes, memory, nowMs);
  const waits =
    isTooSoon(next, at) ||
    removals.length > 0 ||
    world.nodes.some((node) => isLeaving(node) && groupOfNode(world.groups, node) !== undefined);
  if (!waits)
    for (const leaving of chooseLeaving(nodes, { sinceMs, nowMs, options }))
      actions.push({ do: "begin removal", leaving });
  const unneeded = nodes.map(({ node }) => node.metadata.name ?? "");
  return { ...look, actions, memory: { ...next, unneededSinceMs: sinceMs }, kept, unneeded };
}

/** Continues with nodes that have the taint, including the nodes of an earlier process. */
function planRemovals(world: World, options: AutoscalerOptions, nowMs: number): Action[] {
  return world.nodes.flatMap((node): Action[] => {
    const group = groupOfNode(world.groups, node);
    if (!isLeaving(node) || group === undefined) return [];
    const rest = podsToMove(world.pods.filter(({ spec }) => spec?.nodeName === node.metadata.name));
    const providerId = node.spec?.providerID ?? "";
    if (rest.length === 0) return [{ do: "delete machine", group, providerId, node, because: "unneeded" }];
    const begunMs = Number(node.spec?.taints?.find(({ key }) => key === toBeDeletedKey)?.value ?? 0) * 1000;
    if (nowMs - begunMs > options.drainMaxMs)
      return [{ do: "removal of a node aborted", node, because: `${rest.length} pods were not evicted in time` }];
    const staying = rest.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return staying.map((pod) => ({ do: "evict", node, pod }));
  });
}

/** Machines that did not become nodes in time, and nodes that have been broken for long. */
function planLost(
  world: World,
  memory: Memory,
  { options, nowMs }: LookTime,
): { lost: Action[]; unreadySinceMs: Map<string, number> } {
  const byId = new Map(world.nodes.map((node) => [node.spec?.providerID ?? "", node]));
  const unreadySinceMs = new Map<string, number>();
  const lost: Action[] = [];
  for (const group of world.groups) {
    let spare = group.target - group.min;
    for (const providerId of group.machines) {
      const node = byId.get(providerId);
      if (node !== undefined && (isReady(node) || isLeaving(node))) continue;
      const sinceMs = memory.unreadySinceMs.get(providerId) ?? nowMs;
      unreadySinceMs.set(providerId, sinceMs);
      const limitMs = node === undefined ? options.provisionMaxMs : options.unreadyMs;
      if (nowMs - sinceMs < limitMs || spare <= 0) continue;
      const because = node === undefined ? "it is not a node of the cluster" : "its node is not ready";
      lost.push({ do: "delete machine", group, providerId, node, because });
      spare--;
    }
  }
  return { lost, unreadySinceMs };
}

/** Ordered machines that are not ready nodes yet and have not become unresponsive. */
function upcomingMachines({ groups, nodes }: World): { group: NodeGroup; id: string }[] {
  const byId = new Map(nodes.map((node) => [node.spec?.providerID ?? "", node]));
  const names = new Map(nodes.map((node) => [node.metadata.name ?? "", node]));
  return groups.flatMap((group) =>
    group.machines
      .filter((id) => {
        // A kubelet registers before the cloud has assigned an ID to its Node.
        const node = byId.get(id) ?? names.get(id.slice(id.lastIndexOf("/") + 1));
        return node === undefined || (!isReady(node) && !isSilent(node) && !isLeaving(node)) || isUninitialized(node);
      })
      .map((id) => ({ group, id })),
  );
}

function isSilent({ status }: Node): boolean {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "Unknown";
}

function isUninitialized({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => key === "node.cloudprovider.kubernetes.io/uninitialized");
}

/** A group whose machine never became a node pauses, longer with each failure. */
function backoffs(
  memory: Memory,
  lost: readonly Action[],
  { options, nowMs }: LookTime,
): ReadonlyMap<string, GroupBackoff> {
  const groups = new Map(memory.groups);
  for (const action of lost)
    if (action.do === "delete machine" && action.node === undefined)
      groups.set(action.group.name, afterFailure(groups.get(action.group.name), options, nowMs));
  return groups;
}

export function afterFailure(
  before: GroupBackoff | undefined,
  { backoffInitialMs, backoffMaxMs }: AutoscalerOptions,
  nowMs: number,
): GroupBackoff {
  const failures = (before?.failures ?? 0) + 1;
  return { failures, untilMs: nowMs + Math.min(backoffMaxMs, backoffInitialMs * 2 ** (failures - 1)) };
}
