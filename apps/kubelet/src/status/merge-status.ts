import type { PodStatus } from "@kintsugi/api";
import { isTerminalPhase } from "../pods/bound-pod.ts";
import { kubeletConditions } from "./pod-conditions.ts";

/**
 * The kubelet's words over what is stored: what others own (their conditions, the nomination, a final phase) stays as it is
 * stored, whatever the kubelet had read when it made its own.
 */
export function mergeStatus(stored: PodStatus, said: PodStatus): PodStatus {
  const own = (said.conditions ?? []).filter(({ type }) => kubeletConditions.has(type));
  const others = (stored.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type));
  const merged: PodStatus = { ...said, conditions: [...own, ...others] };
  if (stored.nominatedNodeName !== undefined) merged.nominatedNodeName = stored.nominatedNodeName;
  else delete merged.nominatedNodeName;
  if (isTerminalPhase(stored.phase) && stored.phase !== said.phase) {
    merged.phase = stored.phase;
    if (stored.reason !== undefined) merged.reason = stored.reason;
    if (stored.message !== undefined) merged.message = stored.message;
  }
  return merged;
}
