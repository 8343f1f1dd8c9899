import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Reservation } from "../cluster-state/storage.ts";
import type { Plugin } from "../framework/plugin.ts";

/**
 * Returns all that the plugins reserve for a pod on the node that was chosen for it; undefined when
 * the pod can be bound at once.
 */
export function planReservation(
  pod: PodInfo,
  nodeName: string,
  { snapshot, plugins }: { snapshot: Snapshot; plugins: readonly Plugin[] },
): Reservation | undefined {
  const node = snapshot.find(nodeName);
  if (node === undefined) return undefined;
  const parts = plugins.flatMap(({ reserve }) => reserve?.(pod, node, snapshot) ?? []);
  const reservation = {
    volumes: parts.flatMap(({ volumes }) => volumes),
    claims: parts.flatMap(({ claims }) => claims),
    awaited: parts.flatMap(({ awaited }) => awaited ?? []),
  };
  return Object.values(reservation).every(({ length }) => length === 0) ? undefined : reservation;
}
