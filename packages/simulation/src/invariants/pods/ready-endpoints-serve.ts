import { isPodTerminal, type Pod, endpointSlices, pods } from "@kintsugi/api";
import type { Copy } from "../../instruments/copies.ts";
import { isReady } from "../../committed-values.ts";
import { type Invariant, type InvariantContext, onKind } from "../invariant.ts";
import { staleViewMs } from "../observed/stale-view.ts";
import { nameOf } from "../observed/known-objects.ts";

/**
 * A Service routes only to pods that serve. The writer of a slice has read its pods a moment ago:
 * each ready endpoint must have been ready at a time that the writer may still have seen. A writer
 * that does not receive changes, because it was paused or its line is bad, continues with its
 * cache; copies-agree limits the age of that cache.
 */
export function readyEndpointsServe({ known, copies }: InvariantContext): Invariant {
  /**
   * The last time, by UID and address, at which the pod was Ready at the address and not being
   * deleted, or was considered Ready; Infinity while this state lasts.
   */
  const servedAtMs = new Map<string, number>();
  const followed = new WeakSet<Copy>();

  return {
    name: "ready-endpoints-serve",
    never:
      "a ready endpoint whose pod, during the whole last 15 s, was not Ready at that address or was being deleted, in the API and in every controller's cache",
    observes: [
      onKind(pods, ({ type, object, before }) => {
        const serves = type === "delete" ? [] : servingAt(object);
        for (const place of before ? servingAt(before) : []) servedAtMs.set(place, known.activeMs);
        for (const place of serves) servedAtMs.set(place, Infinity);
      }),
      onKind(endpointSlices, ({ type, object }, check) => {
        if (type === "delete") return;
        for (const { addresses, conditions, targetRef } of object.endpoints ?? []) {
          // An endpoint without a pod reference does not belong to a pod, such as the endpoint of
          // the api-server.
          if (conditions?.ready !== true || targetRef === undefined) continue;
          for (const address of addresses) {
            const place = `${targetRef.uid} ${address}`;
            check(
              isPast(place) && !isBelieved(place)
                ? `slice ${nameOf(object)} reports ${address} of pod ${targetRef.name} as ready`
                : undefined,
            );
          }
        }
      }),
    ],
    tick() {
      for (const copy of beliefs()) follow(copy);
      for (const [place, servedMs] of servedAtMs) {
        if (servedMs === Infinity) continue;
        if (isBelieved(place)) servedAtMs.set(place, known.activeMs);
        else if (isPast(place)) servedAtMs.delete(place);
      }
    },
  };

  function isPast(place: string): boolean {
    return known.activeMs - (servedAtMs.get(place) ?? -Infinity) > staleViewMs;
  }

  /** Reports whether some controller's cache does not contain the end of the readiness yet. */
  function isBelieved(place: string): boolean {
    for (const { informer } of beliefs())
      if (informer.list().some((pod) => servingAt(pod as Pod).includes(place))) return true;
    return false;
  }

  /**
   * A process that catches up receives all changes that it has missed, and may write after each of
   * them.
   */
  function follow(copy: Copy): void {
    if (followed.has(copy)) return;
    followed.add(copy);
    copy.informer.onChange((change) => {
      if (change.type === "added") return;
      const held = change.type === "modified" ? change.before : change.object;
      for (const place of servingAt(held as Pod))
        if (servedAtMs.get(place) !== Infinity) servedAtMs.set(place, known.activeMs);
    });
  }

  /** Lists the controllers' caches of pods. */
  function* beliefs(): Generator<Copy> {
    for (const copy of copies())
      if (copy.owner.startsWith("controller-manager") && copy.informer.type.resource === "pods") yield copy;
  }
}

function servingAt(pod: Pod): string[] {
  if (isPodTerminal(pod) || !isReady(pod) || pod.metadata.deletionTimestamp !== undefined) return [];
  return (pod.status?.podIPs ?? []).map(({ ip }) => `${pod.metadata.uid} ${ip}`);
}
