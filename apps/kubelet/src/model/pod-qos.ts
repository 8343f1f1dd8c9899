import { podQosClass, type PodQosClass } from "@kintsugi/api";
import type { BoundPod } from "./bound-pod.ts";

/** Returns the pod's QoS class as the API server wrote it, which a resize does not change. */
export function podQos(pod: BoundPod): PodQosClass {
  return pod.status?.qosClass ?? podQosClass(pod);
}
