import { isPodBound, isPodTerminal, parseTimestamp, type Pod } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import { type Placement, Room } from "../model/room.ts";
import type { Memory, World } from "../model/world.ts";

/**
 * Limit of the pods that are considered in one inspection, because each costs a decision per group.
 */
const podsMax = 500;
/** Pods with a lower priority do not order nodes (upstream: expendable-pods-priority-cutoff). */
const expendablePriority = -10;

export interface ScaleUpPlan {
  readonly resize: { group: NodeGroup; to: number } | undefined;
  /** The pods that need the new nodes. */
  readonly helped: readonly Pod[];
  readonly unhelped: readonly { pod: Pod; because: string }[];
}

/** Pods that the scheduler has inspected and that fit no node, the most important first. */
function unschedulablePods(pods: readonly Pod[]): Pod[] {
  return pods
    .filter((pod) => {
      if (isPodBound(pod) || isPodTerminal(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
      // Preemption is in progress for the pod.
      if ((pod.status?.nominatedNodeName ?? "") !== "") return false;
      if ((pod.spec?.priority ?? 0) < expendablePriority) return false;
      const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
      return scheduled?.status === "False" && scheduled.reason === "Unschedulable";
    })
    .toSorted(byImportance)
    .slice(0, podsMax);
}

function byImportance(a: Pod, b: Pod): number {
  const important = (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0);
  return important === 0 ? createdMs(a) - createdMs(b) : important;
}

function createdMs({ metadata }: Pod): number {
  return metadata.creationTimestamp === undefined ? 0 : parseTimestamp(metadata.creationTimestamp);
}

/**
 * The cluster with the machines that are starting. Pods are placed on existing nodes and on these
 * machines.
 */
export interface ExpectedRoom {
  readonly room: Room;
  readonly upcoming: readonly string[];
  /** Pods that fit neither on a node nor on a starting machine. */
  readonly left: readonly Pod[];
}

/**
 * Places the waiting pods on existing nodes and on ordered machines. Only the remaining pods are a
 * reason for another machine, so one pod never orders two.
 */
export function expect(
  world: World,
  upcoming: readonly { group: NodeGroup; id: string }[],
  samples: Memory["samples"],
): ExpectedRoom {
  const room = new Room(world, samples);
  for (const { group, id } of upcoming) room.addTemplate(group, id);
  const left = unschedulablePods(world.pods).filter((pod) => "because" in room.place(pod));
  return { room, upcoming: upcoming.map(({ id }) => id), left };
}

/**
 * Chooses the group whose machines help, and their number; `groups` are the groups that may grow.
 */
export function planScaleUp({ room, left }: ExpectedRoom, groups: readonly NodeGroup[]): ScaleUpPlan {
  const estimates = groups
    .filter(({ target, max }) => target < max)
    .map((group) => estimate(room, left, group))
    .filter(({ helped }) => helped.length > 0);
  const [best] = estimates.toSorted(
    (a, b) =>
      b.group.priority - a.group.priority ||
      b.helped.length - a.helped.length ||
      a.nodes - b.nodes ||
      (a.group.name < b.group.name ? -1 : 1),
  );
  if (best === undefined) {
    const full = groups.every(({ target, max }) => target >= max);
    const why = groups.length === 0 ? "no node group may grow" : `${groups.length} max node group size reached`;
    const unhelped = left.map((pod) => ({ pod, because: full ? why : reasonOf(room, pod, groups) }));
    return { resize: undefined, helped: [], unhelped };
  }
  const { group, nodes, helped } = best;
  const rest = left.filter((pod) => !helped.includes(pod));
  return {
    resize: { group, to: group.target + nodes },
    helped,
    unhelped: rest.map((pod) => ({ pod, because: reasonOf(room, pod, groups) })),
  };
}

/**
 * Reports whether a new machine of some group would help one of the remaining pods. Only such a pod
 * prevents the removal of idle nodes, because they might have to be requested again for the pod. A
 * pod that no machine helps would prevent the removal forever.
 */
export function isSomeHelpable({ room, left }: ExpectedRoom, groups: readonly NodeGroup[]): boolean {
  return left.some((pod) => groups.some((group) => "node" in placeOnNew(room, pod, group)));
}

/** Tries the pod on one new node of the group, and leaves the simulated cluster unchanged. */
function placeOnNew(room: Room, pod: Pod, group: NodeGroup): Placement {
  const name = `${group.name}-new`;
  room.addTemplate(group, name);
  const placed = room.place(pod);
  if ("node" in placed) room.takeBack(pod);
  room.removeNode(name);
  return placed;
}

interface Estimate {
  readonly group: NodeGroup;
  readonly nodes: number;
  readonly helped: readonly Pod[];
}

/** Fills new nodes of the group one after another, without changing the given free capacity. */
function estimate(room: Room, pods: readonly Pod[], group: NodeGroup): Estimate {
  const added: string[] = [];
  const helped: Pod[] = [];
  const used = new Set<string>();
  for (const pod of pods) {
    let placed = room.place(pod);
    // A pod that does not fit on an empty node fits on no node of the group.
    const hasEmpty = added.some((name) => !used.has(name));
    if ("because" in placed && !hasEmpty && group.target + added.length < group.max) {
      const name = `${group.name}-new-${added.length + 1}`;
      room.addTemplate(group, name);
      added.push(name);
      placed = room.place(pod);
    }
    if ("because" in placed) continue;
    helped.push(pod);
    if (added.includes(placed.node)) used.add(placed.node);
  }
  for (const pod of helped) room.takeBack(pod);
  for (const name of added) room.removeNode(name);
  return { group, nodes: used.size, helped: used.size === 0 ? [] : helped };
}

function reasonOf(room: Room, pod: Pod, groups: readonly NodeGroup[]): string {
  const reasons = groups.map((group) => {
    const placed = placeOnNew(room, pod, group);
    return "because" in placed ? `${group.name}: ${placed.because}` : `${group.name}: max node group size reached`;
  });
  return reasons.join("; ");
}
