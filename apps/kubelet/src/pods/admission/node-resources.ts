import { cpuMillicores, isExtendedResource, type Node, wholeUnits } from "@kintsugi/api";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";

export interface MissingResource {
  resource: string;
  requested: number;
  used: number;
  capacity: number;
}

/** The first resource of which the node does not have enough for `pod` in addition to `others`. */
export function missingResource(pod: BoundPod, others: readonly BoundPod[], node: Node): MissingResource | undefined {
  const allocatable = node.status?.allocatable ?? {};
  const podCapacity = wholeUnits(allocatable["pods"] ?? "110");
  if (others.length + 1 > podCapacity) {
    return { resource: "pods", requested: 1, used: others.length, capacity: podCapacity };
  }
  for (const [resource, requested] of podRequests(pod)) {
    // An extended resource that the Node does not list belongs to the cluster, and only the
    // scheduler counts it (removeMissingExtendedResources).
    const isForeign = isExtendedResource(resource) && allocatable[resource] === undefined;
    if (requested === 0 || isForeign) continue;
    const capacity = amount(resource, allocatable[resource] ?? "0");
    const used = others.reduce((sum, other) => sum + (podRequests(other).get(resource) ?? 0), 0);
    if (used + requested > capacity) return { resource, requested, used, capacity };
  }
  return undefined;
}

/**
 * Sums a pod's requests: the requests of the containers that run together, or the requests of one
 * init container, whichever are higher; plus overhead.
 */
function podRequests(pod: BoundPod): Map<string, number> {
  const together = new Map<string, number>();
  for (const { resources } of pod.spec.containers) add(together, resources?.requests);
  const sidecars = new Map<string, number>();
  const peaks = new Map<string, number>();
  for (const container of initContainersOf(pod)) {
    if (isRestartableInit(container)) {
      add(sidecars, container.resources?.requests);
      raise(peaks, sidecars);
    } else {
      const needed = new Map(sidecars);
      add(needed, container.resources?.requests);
      raise(peaks, needed);
    }
  }
  for (const [resource, value] of sidecars) together.set(resource, (together.get(resource) ?? 0) + value);
  raise(together, peaks);
  // The pod's own requests are for all of its containers together.
  for (const [resource, quantity] of Object.entries(pod.spec.resources?.requests ?? {}))
    together.set(resource, amount(resource, quantity));
  add(together, pod.spec.overhead);
  return together;
}

function add(sum: Map<string, number>, requests: Readonly<Record<string, string>> | undefined): void {
  for (const [resource, quantity] of Object.entries(requests ?? {})) {
    sum.set(resource, (sum.get(resource) ?? 0) + amount(resource, quantity));
  }
}

function raise(target: Map<string, number>, other: ReadonlyMap<string, number>): void {
  for (const [resource, value] of other) target.set(resource, Math.max(target.get(resource) ?? 0, value));
}

/** CPU in thousandths, all other resources in whole units, as upstream compares them. */
function amount(resource: string, quantity: string): number {
  return resource === "cpu" ? cpuMillicores(quantity) : wholeUnits(quantity);
}
