import { podQosClass, type PodQosClass } from "@kintsugi/api";
import type { BoundPod } from "./bound-pod.ts";

/** Returns the pod's class: the one that the API server wrote, which no resize changes. */
export function podQos(pod: BoundPod): PodQosClass {
  return pod.status?.qosClass ?? podQosClass(pod);
}
