import { compareQuantities, type Container } from "@kintsugi/api";
import { type BoundPod, containersOf } from "./bound-pod.ts";

export type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

const countedResources = ["cpu", "memory"] as const;

/**
 * Guaranteed: every container's cpu and memory limits are set and equal its requests; BestEffort:
 * none has requests or limits.
 */
export function podQos(pod: BoundPod): QosClass {
  if (pod.status?.qosClass) return pod.status.qosClass;
  const containers = containersOf(pod);
  if (!containers.some(asksForAnything)) return "BestEffort";
  return containers.every(isGuaranteed) ? "Guaranteed" : "Burstable";
}

function asksForAnything({ resources }: Container): boolean {
  return countedResources.some(
    (name) => isPositive(resources?.requests?.[name]) || isPositive(resources?.limits?.[name]),
  );
}

function isGuaranteed({ resources }: Container): boolean {
  return countedResources.every((name) => {
    const limit = resources?.limits?.[name];
    if (!isPositive(limit)) return false;
    const request = resources?.requests?.[name] ?? limit;
    return compareQuantities(request, limit) === 0;
  });
}

function isPositive(quantity: string | undefined): quantity is string {
  return quantity !== undefined && compareQuantities(quantity, "0") > 0;
}
