import type { PodStatus } from "@kintsugi/api";
import { isTerminalPhase } from "../../model/bound-pod.ts";
import { isOwnDisruption, kubeletConditions } from "./pod-conditions.ts";

/**
 * Merges the kubelet's status over the stored status. Fields of other owners (their conditions, the
 * nomination, the names of claims, a final phase) keep their stored values, even if the kubelet had
 * read older values when it made its status.
 */
export function mergeStatus(stored: PodStatus, said: PodStatus): PodStatus {
  const own = (said.conditions ?? []).filter((each) => kubeletConditions.has(each.type) || isOwnDisruption(each));
  const others = (stored.conditions ?? []).filter(
    ({ type }) => !kubeletConditions.has(type) && !own.some((each) => each.type === type),
  );
  const merged: PodStatus = { ...said, conditions: [...own, ...others] };
  if (stored.nominatedNodeName !== undefined) merged.nominatedNodeName = stored.nominatedNodeName;
  else delete merged.nominatedNodeName;
  // Controllers set the names of the pod's device claims, which a node may not change.
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
