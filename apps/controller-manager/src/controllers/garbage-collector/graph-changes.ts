import { type ApiObject, type OwnerReference, type ResourceType, sameJson } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import {
  type GraphObject,
  graphObject,
  type OwnerGraph,
  orphansDependents,
  waitsForDependents,
} from "./owner-graph.ts";

/** Applies a change to the graph. Returns the UIDs of the objects that have to be judged again. */
export function applyToGraph(graph: OwnerGraph, type: ResourceType, change: InformerChange<ApiObject>): string[] {
  const object = graphObject(type, change.object);
  const before = graph.find(object.uid);
  const woken: string[] = [];
  if (change.type === "deleted") {
    const dependents = graph.dependentsOf(object.uid);
    graph.remove(object.uid);
    for (const dependent of dependents) woken.push(dependent.uid);
  } else {
    graph.put(object);
    if (isToBeJudged(graph, before, object)) woken.push(object.uid);
  }
  woken.push(...wokenOwners(graph, before, change.type === "deleted" ? undefined : object));
  return woken;
}

function isToBeJudged(graph: OwnerGraph, before: GraphObject | undefined, object: GraphObject): boolean {
  const isPending = waitsForDependents(object) || orphansDependents(object);
  const hasNewOwners = object.owners.length > 0 && !sameJson(before?.owners, object.owners);
  return isPending || hasNewOwners || (before !== undefined && object.owners.some((owner) => isMissing(graph, owner)));
}

function isMissing(graph: OwnerGraph, owner: OwnerReference): boolean {
  const found = graph.find(owner.uid);
  return !found || waitsForDependents(found);
}

/**
 * An owner that waits for its dependents may proceed when a dependent is removed or no longer
 * blocks its deletion.
 */
function wokenOwners(graph: OwnerGraph, before: GraphObject | undefined, now: GraphObject | undefined): string[] {
  if (now && sameJson(before?.owners, now.owners) && before?.isDeleting === now.isDeleting) return [];
  const owners = [...(before?.owners ?? []), ...(now?.owners ?? [])];
  return owners.map(({ uid }) => uid).filter((uid) => graph.find(uid)?.isDeleting);
}
