import type { ApiObject } from "@kintsugi/api";

/** Fields whose values are random, or depend on the time, the place and the count of events. */
const incidental: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "observedGeneration",
  "managedFields",
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "generateName",
  "startTime",
  "lastScaleTime",
  "nodeName",
  "hostIP",
  "hostIPs",
  "ip",
  "targetRef",
  "podIP",
  "podIPs",
  "clusterIP",
  "clusterIPs",
  "containerID",
  "restartCount",
  "lastState",
  "startedAt",
  "revision",
  "bootID",
  "images",
  "annotations",
]);

/**
 * An object as text. Two objects have the same text if their desired and actual states are equal.
 */
export function normalized(object: ApiObject): string {
  const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) ?? false;
  const { name: _, ...unnamed } = object.metadata;
  return JSON.stringify(stripped(owned ? { ...object, metadata: unnamed } : object));
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !incidental.has(name));
  return Object.fromEntries(
    fields
      .map(([name, field]) => [name, (special.get(name) ?? stripped)(field)] as const)
      .sort(([a], [b]) => a.localeCompare(b)),
  );
}

/** Fields of which only a part is desired state. */
const special: ReadonlyMap<string, (field: unknown) => unknown> = new Map([
  ["conditions", heldConditions],
  ["endpoints", endpointsByState],
  ["taints", taintsIfAny],
]);

/**
 * A node that lost its last taint has an empty list, while a node that never had a taint has no
 * list.
 */
function taintsIfAny(taints: unknown): unknown {
  return Array.isArray(taints) && taints.length === 0 ? undefined : stripped(taints);
}

/**
 * Counts a Service's endpoints by their state, because the choice of pods and their nodes is
 * random.
 */
function endpointsByState(endpoints: unknown): unknown {
  if (!Array.isArray(endpoints)) return endpoints;
  return (endpoints as { conditions?: object }[]).map(({ conditions }) => JSON.stringify(conditions)).sort();
}

/**
 * Returns the names of conditions that are True or Unknown. Their reasons and times do not matter,
 * and a False condition counts as absent.
 */
function heldConditions(conditions: unknown): unknown {
  if (!Array.isArray(conditions)) return conditions;
  return (conditions as { type?: string; status?: string }[])
    .filter(({ status }) => status !== "False")
    .map(({ type, status }) => `${type}=${status}`)
    .sort();
}
