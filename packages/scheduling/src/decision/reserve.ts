import type { PodInfo } from "../cluster-state/pod-info.ts";
import type { Snapshot } from "../cluster-state/snapshot.ts";
import type { Reservation } from "../cluster-state/storage.ts";
import type { Plugin } from "../framework/plugin.ts";

/** Returns the name of the first plugin that keeps the pod from being tried yet. */
export function gatedBy(pod: PodInfo, snapshot: Snapshot, plugins: readonly Plugin[]): string | undefined {
  return plugins.find(({ preEnqueue }) => preEnqueue?.(pod, snapshot) !== undefined)?.name;
}

/**
 * Returns all that the plugins reserve for a pod on its chosen node; undefined when the pod can be
 * bound immediately.
 */
export function planReservation(
  pod: PodInfo,
  nodeName: string,
  { snapshot, plugins }: { snapshot: Snapshot; plugins: readonly Plugin[] },
): Reservation | undefined {
  const node = snapshot.find(nodeName);
  if (node === undefined) return undefined;
  const parts: Reservation[] = [];
  for (const { reserve } of plugins) {
    const part = reserve?.(pod, node, snapshot);
    if (part !== undefined) parts.push(part);
  }
  // Most pods do not need reservations.
  if (parts.length === 0) return undefined;
  const reservation = {
    volumes: parts.flatMap(({ volumes }) => volumes),
    claims: parts.flatMap(({ claims }) => claims),
    awaited: parts.flatMap(({ awaited }) => awaited ?? []),
    devices: parts.flatMap(({ devices }) => devices ?? []),
  };
  return Object.values(reservation).every(({ length }) => length === 0) ? undefined : reservation;
}
