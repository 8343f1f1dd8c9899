import type { BoundPod } from "../../model/bound-pod.ts";
import { podQos } from "../../model/pod-qos.ts";

/**
 * `<parent>/burstable/pod<uid>`; Guaranteed pods are directly below the parent, next to the two
 * classes.
 */
export function podCgroup(pod: BoundPod, { podsCgroup }: { podsCgroup: string }): string {
  const qos = podQos(pod);
  const parent = qos === "Guaranteed" ? podsCgroup : `${podsCgroup}/${qos.toLowerCase()}`;
  return `${parent}/pod${pod.metadata.uid}`;
}
