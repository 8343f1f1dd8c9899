import type { Node, Pod } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import type { AutoscalerOptions } from "../model/options.ts";
import type { Room } from "../model/room.ts";
import { groupOfNode, isLeaving, isReady, type Memory, type World } from "../model/world.ts";
import { blockedBy, breakingPod, isNodesOwn, podsToMove } from "./movable-pods.ts";

const disabledAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/** A removable node, with the pods that would move. */
export interface Unneeded {
  readonly node: Node;
  readonly group: NodeGroup;
  readonly pods: readonly Pod[];
}

export interface Unneededs {
  readonly nodes: readonly Unneeded[];
  /** The reason why each other node of a group is not removed, by name. */
  readonly kept: ReadonlyMap<string, string>;
}

/**
 * Finds the nodes that could all be removed together: every pod on them fits on another node by the
 * scheduler's own filters, budgets allow it, and no group falls below its minimum. The autoscaler
 * therefore never removes a node that it would have to add again.
 */
export function findUnneeded(world: World, room: Room, options: AutoscalerOptions): Unneededs {
  const kept = new Map<string, string>();
  const left = new Map(world.groups.map(({ name, target, min }) => [name, target - min]));
  const candidates = world.nodes
    .flatMap((node) => {
      const group = groupOfNode(world.groups, node);
      return group === undefined || isLeaving(node) || !isReady(node) ? [] : [{ node, group }];
    })
    .map((each) => ({ ...each, use: room.utilization(nameOf(each.node), ({ pod }) => !isNodesOwn(pod)) }))
    .toSorted((a, b) => a.use - b.use || (nameOf(a.node) < nameOf(b.node) ? -1 : 1));
  const nodes: Unneeded[] = [];
  const moving: Pod[] = [];
  for (const { node, group, use } of candidates) {
    const spare = left.get(group.name) ?? 0;
    const because =
      spare <= 0
        ? `group ${group.name} has its minimum number of nodes`
        : node.metadata.annotations?.[disabledAnnotation] === "true"
          ? "scale-down is disabled by annotation"
          : use > options.utilizationMax
            ? `its pods request ${Math.round(use * 100)} % of it`
            : undefined;
    const pods = podsToMove(room.podsOn(nameOf(node)).map(({ pod }) => pod));
    const reason = because ?? tryMove(world, room, { node, pods, moving });
    if (reason !== undefined) {
      kept.set(nameOf(node), reason);
      continue;
    }
    nodes.push({ node, group, pods });
    moving.push(...pods);
    left.set(group.name, spare - 1);
  }
  return { nodes, kept };
}

/**
 * Moves the node's pods in the simulated cluster, or leaves it unchanged and returns the reason.
 */
function tryMove(
  { budgets }: World,
  room: Room,
  { node, pods, moving }: { node: Node; pods: readonly Pod[]; moving: readonly Pod[] },
): string | undefined {
  const blocked = pods.map((pod) => blockedBy(pod, budgets)).find((reason) => reason !== undefined);
  if (blocked !== undefined) return blocked;
  const breaking = breakingPod([...moving, ...pods], budgets);
  if (breaking !== undefined) return `no PodDisruptionBudget has room for ${breaking}`;
  const before = room.removeNode(nameOf(node));
  const placed: Pod[] = [];
  for (const pod of pods) {
    const at = room.place(unbound(pod));
    if ("node" in at) {
      placed.push(pod);
      continue;
    }
    for (const each of placed) room.takeBack(each);
    room.restoreNode(node, before);
    return `no room for ${pod.metadata.namespace}/${pod.metadata.name}: ${at.because}`;
  }
  return undefined;
}

/** The pod that its owner would create to replace it. */
function unbound(pod: Pod): Pod {
  const { nodeName: _, ...spec } = pod.spec ?? { containers: [] };
  return { ...pod, spec };
}

/**
 * Returns the time at which each node became unneeded. A node that was needed in the meantime gets
 * a new time.
 */
export function unneededSince(unneeded: readonly Unneeded[], memory: Memory, nowMs: number): Map<string, number> {
  return new Map(unneeded.map(({ node }) => [nameOf(node), memory.unneededSinceMs.get(nameOf(node)) ?? nowMs]));
}

/** Reports whether an added machine, or a failed removal, is too recent for another removal. */
export function isTooSoon(
  { lastScaleUpMs = -Infinity, lastFailureMs = -Infinity }: Pick<Memory, "lastScaleUpMs" | "lastFailureMs">,
  { options, nowMs }: { options: AutoscalerOptions; nowMs: number },
): boolean {
  return nowMs - lastScaleUpMs < options.delayAfterAddMs || nowMs - lastFailureMs < options.delayAfterFailureMs;
}

/** Chooses the nodes to remove now: several empty nodes, or one node whose pods have to move. */
export function chooseLeaving(
  unneeded: readonly Unneeded[],
  { sinceMs, nowMs, options }: { sinceMs: ReadonlyMap<string, number>; nowMs: number; options: AutoscalerOptions },
): readonly Unneeded[] {
  const due = unneeded.filter(({ node }) => nowMs - (sinceMs.get(nameOf(node)) ?? nowMs) >= options.unneededMs);
  const empty = due.filter(({ pods }) => pods.length === 0);
  return empty.length > 0 ? empty.slice(0, options.emptyBulkMax) : due.slice(0, 1);
}

function nameOf({ metadata }: Node): string {
  return metadata.name ?? "";
}
