import type { Pod } from "@kintsugi/api";

/**
 * Reports whether a change of a pod may let it be placed: anything but its status and bookkeeping.
 */
export function mayChangePlacement(pod: Pod, before: Pod): boolean {
  return comparable(pod) !== comparable(before);
}

function comparable({ metadata, spec }: Pod): string {
  return JSON.stringify([metadata.labels ?? {}, metadata.annotations ?? {}, metadata.deletionTimestamp ?? "", spec]);
}
