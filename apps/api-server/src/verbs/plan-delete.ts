import { formatTimestamp, parseTimestamp } from "@kintsugi/api";
import type { KubeObject, Resource } from "../resources/resource.ts";
import type { DeleteRequest, Propagation } from "./delete-options.ts";
import { isReleased } from "../writes/object-update.ts";

/**
 * The effect of a delete on an object: it is removed, it is marked, or it is already being deleted.
 */
export type DeletePlan = { action: "delete" | "put"; object: KubeObject } | { action: "keep"; object: KubeObject };

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/** Upstream's BeforeDelete and deletion finalizers, as one decision. `stored` is changed. */
export function planDelete(
  resource: Resource,
  stored: KubeObject,
  deletion: { request: DeleteRequest; nowMs: number },
): DeletePlan {
  const { request, nowMs } = deletion;
  const finalizersChanged = setPropagation(stored, request.propagation ?? defaultPropagation(resource, stored));
  const begun = stored.metadata.deletionTimestamp !== undefined;
  const changed = begun ? shortenGrace(resource, stored, deletion) : markDeleted(resource, stored, { request, nowMs });
  if (!begun) resource.kind.strategy.prepareForDelete?.(stored, nowMs);
  if (isReleased(resource, stored)) return { action: "delete", object: stored };
  return { action: changed || finalizersChanged ? "put" : "keep", object: stored };
}

/**
 * An existing finalizer that decides the propagation takes precedence over the kind's default
 * (upstream's shouldOrphanDependents).
 */
function defaultPropagation({ kind }: Resource, { metadata }: KubeObject): Propagation | undefined {
  const decided = metadata.finalizers?.some((name) => name === orphanFinalizer || name === foregroundFinalizer);
  return kind.strategy.orphansDependents === true && decided !== true ? "Orphan" : undefined;
}

function setPropagation(stored: KubeObject, propagation: Propagation | undefined): boolean {
  if (propagation === undefined) return false;
  const before = stored.metadata.finalizers ?? [];
  const others = before.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  const wanted =
    propagation === "Orphan" ? [orphanFinalizer] : propagation === "Foreground" ? [foregroundFinalizer] : [];
  const after = [...others, ...wanted];
  if (after.length === before.length && after.every((finalizer) => before.includes(finalizer))) return false;
  if (after.length === 0) delete stored.metadata.finalizers;
  else stored.metadata.finalizers = after;
  return true;
}

/**
 * 68 years. A second delete subtracts the first delete's grace period from the time at which that
 * period ends, so that time has to be representable.
 */
const graceSecondsMax = 2 ** 31 - 1;

function markDeleted(
  resource: Resource,
  stored: KubeObject,
  deletion: { request: DeleteRequest; nowMs: number },
): true {
  const wanted = resource.kind.strategy.gracePeriodSeconds?.(stored, deletion.request.gracePeriodSeconds) ?? 0;
  const graceSeconds = Math.min(wanted, graceSecondsMax);
  stored.metadata.deletionTimestamp = formatTimestamp(deletion.nowMs + graceSeconds * 1000);
  stored.metadata.deletionGracePeriodSeconds = graceSeconds;
  // The generation shows clients that the object now has another meaning.
  if ((stored.metadata.generation ?? 0) > 0) stored.metadata.generation = (stored.metadata.generation ?? 0) + 1;
  return true;
}

/** A second delete may only shorten the grace period. */
function shortenGrace(resource: Resource, stored: KubeObject, deletion: { request: DeleteRequest }): boolean {
  const { metadata } = stored;
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  const wanted = deletion.request.gracePeriodSeconds;
  if (resource.kind.strategy.gracePeriodSeconds === undefined || wanted === undefined || wanted >= current)
    return false;
  const deadlineMs = parseTimestamp(metadata.deletionTimestamp ?? "") - (current - wanted) * 1000;
  metadata.deletionTimestamp = formatTimestamp(deadlineMs);
  metadata.deletionGracePeriodSeconds = wanted;
  return true;
}
