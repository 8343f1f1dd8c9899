import type { Namespace, NamespaceCondition } from "@kintsugi/api";
import { withCondition } from "@kintsugi/api";

/** The finalizer in a namespace's spec that this controller removes last. */
export const kubernetesFinalizer = "kubernetes";

/** The remaining content of a namespace after the deletion of everything in it was requested. */
export interface ContentReport {
  /** The number of remaining objects, by resource ("pods", "replicasets.apps"). */
  remaining: ReadonlyMap<string, number>;
  /** The number of objects that still have the finalizer, by finalizer. */
  finalizers: ReadonlyMap<string, number>;
  /** The groups whose kinds are not known because their servers do not respond. */
  unknownGroups: readonly string[];
  /** The kinds that could not be listed or deleted, with the reasons. */
  failures: readonly string[];
  /** The longest known grace period of the remaining objects. */
  graceSeconds: number;
}

export type NamespacePlan = { type: "finalize" } | { type: "wait"; retryAfterMs: number };

/**
 * The duration of other controllers' finalizers is unknown; upstream retries after this estimate.
 */
const finalizerEstimateSeconds = 15;

export function planNamespace(report: ContentReport): NamespacePlan {
  const isKnown = report.unknownGroups.length === 0 && report.failures.length === 0;
  if (isKnown && report.remaining.size === 0) return { type: "finalize" };
  const estimate = Math.max(report.graceSeconds, report.finalizers.size > 0 ? finalizerEstimateSeconds : 0);
  return { type: "wait", retryAfterMs: (estimate / 2 + 1) * 1000 };
}

/**
 * The namespace's conditions, in which `kubectl describe` shows why a deletion takes long; the same
 * list if nothing changed.
 */
export function planConditions(namespace: Namespace, report: ContentReport, nowMs: number): NamespaceCondition[] {
  let conditions = namespace.status?.conditions ?? [];
  for (const condition of conditionsOf(report)) conditions = withCondition(conditions, condition, nowMs);
  return conditions;
}

function conditionsOf({ unknownGroups, remaining, finalizers, failures }: ContentReport): NamespaceCondition[] {
  const isLeft = remaining.size > 0;
  const isHeld = finalizers.size > 0;
  const hasFailed = failures.length > 0;
  return [
    discoveryCondition(unknownGroups),
    {
      type: "NamespaceDeletionGroupVersionParsingFailure",
      status: "False",
      reason: "ParsedGroupVersions",
      message: "All legacy kube types successfully parsed",
    },
    {
      type: "NamespaceDeletionContentFailure",
      status: hasFailed ? "True" : "False",
      reason: hasFailed ? "ContentDeletionFailed" : "ContentDeleted",
      message: hasFailed
        ? `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(", ")}`
        : "All content successfully deleted, may be waiting on finalization",
    },
    {
      type: "NamespaceContentRemaining",
      status: isLeft ? "True" : "False",
      reason: isLeft ? "SomeResourcesRemain" : "ContentRemoved",
      message: isLeft
        ? `Some resources are remaining: ${counted(remaining, (name, count) => `${name} has ${count} resource instances`)}`
        : "All content successfully removed",
    },
    {
      type: "NamespaceFinalizersRemaining",
      status: isHeld ? "True" : "False",
      reason: isHeld ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
      message: isHeld
        ? `Some content in the namespace has finalizers remaining: ${counted(finalizers, (name, count) => `${name} in ${count} resource instances`)}`
        : "All content-preserving finalizers finished",
    },
  ];
}

/** Upstream's message, to which guides about namespaces stuck in Terminating refer. */
function discoveryCondition(groups: readonly string[]): NamespaceCondition {
  const type = "NamespaceDeletionDiscoveryFailure";
  if (groups.length === 0)
    return { type, status: "False", reason: "ResourcesDiscovered", message: "All resources successfully discovered" };
  const failing = groups.toSorted().map((group) => `${group}: stale GroupVersion discovery: ${group}`);
  const message = `Discovery failed for some groups, ${groups.length} failing: unable to retrieve the complete list of server APIs: ${failing.join(", ")}`;
  return { type, status: "True", reason: "DiscoveryFailed", message };
}

function counted(counts: ReadonlyMap<string, number>, say: (name: string, count: number) => string): string {
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => say(name, count))
    .join(", ");
}
