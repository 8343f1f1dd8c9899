import type { PodStatus } from "@kintsugi/api";
import { isTerminalPhase } from "../../model/bound-pod.ts";
import { isOwnDisruption, kubeletConditions } from "./pod-conditions.ts";

/**
 * Puts the kubelet's status over the stored one: fields of other owners (their conditions, the
 * nomination, the names of claims, a final phase) stay as they are stored, even if the kubelet had
 * read older ones when it made its own.
 */
export function mergeStatus(stored: PodStatus, said: PodStatus): PodStatus {
  const own = (said.conditions ?? []).filter((each) => kubeletConditions.has(each.type) || isOwnDisruption(each));
  const others = (stored.conditions ?? []).filter(
    ({ type }) => !kubeletConditions.has(type) && !own.some((each) => each.type === type),
  );
  const merged: PodStatus = { ...said, conditions: [...own, ...others] };
  if (stored.nominatedNodeName !== undefined) merged.nominatedNodeName = stored.nominatedNodeName;
  else delete merged.nominatedNodeName;
  // Controllers name the pod's claims for devices, and a node may not.
  for (const field of ["resourceClaimStatuses", "extendedResourceClaimStatus"] as const) delete merged[field];
  if (stored.resourceClaimStatuses !== undefined) merged.resourceClaimStatuses = stored.resourceClaimStatuses;
  if (stored.extendedResourceClaimStatus !== undefined)
    merged.extendedResourceClaimStatus = stored.extendedResourceClaimStatus;
  if (isTerminalPhase(stored.phase) && stored.phase !== said.phase) {
    merged.phase = stored.phase;
    if (stored.reason !== undefined) merged.reason = stored.reason;
    if (stored.message !== undefined) merged.message = stored.message;
  }
  return merged;
}
