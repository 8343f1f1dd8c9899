import type { Pod } from "@kintsugi/api";

/**
 * Reports whether a change of a pod may allow it to be placed: any change except metadata without
 * effect and most of its status.
 */
export function mayChangePlacement(pod: Pod, before: Pod): boolean {
  return comparable(pod) !== comparable(before);
}

function comparable({ metadata, spec, status }: Pod): string {
  const { labels = {}, annotations = {}, deletionTimestamp = "" } = metadata;
  // The names of claims that were made for the pod are in its status.
  return JSON.stringify([labels, annotations, deletionTimestamp, spec, status?.resourceClaimStatuses ?? []]);
}
