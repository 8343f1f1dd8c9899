import { type ApiObject, parseTimestamp, nodes, podDisruptionBudgets, pods, replicaSets } from "@kintsugi/api";
import { type Check, type Invariant, type Seen, onKind } from "../invariant.ts";
import { nameOf } from "../observed/known-objects.ts";

/**
 * A deletion that has begun ends in the object's removal, but not before all finalizers are
 * removed.
 */
export function deletionsAreFinal(): Invariant {
  return {
    name: "deletions-are-final",
    never: "a deletion that is cancelled or delayed, or an object that is removed while it has finalizers",
    observes: [onKind(pods, look), onKind(nodes, look), onKind(replicaSets, look), onKind(podDisruptionBudgets, look)],
  };
}

function look({ type, object, before, change }: Seen<ApiObject>, check: Check): void {
  if (type === "delete") {
    const { finalizers = [] } = object.metadata;
    check(
      finalizers.length === 0
        ? undefined
        : `${change.resource} ${nameOf(object)} was removed with the finalizers ${finalizers.join()}`,
    );
  } else if (before?.metadata.deletionTimestamp !== undefined) {
    check(isPutOff(before.metadata.deletionTimestamp, object, change.resource));
  }
}

function isPutOff(was: string, object: ApiObject, resource: string): string | undefined {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined)
    return `${resource} ${nameOf(object)} was being deleted, and is no longer being deleted`;
  if (parseTimestamp(deletionTimestamp) <= parseTimestamp(was)) return undefined;
  return `the deletion of ${resource} ${nameOf(object)} was postponed from ${was} to ${deletionTimestamp}`;
}
