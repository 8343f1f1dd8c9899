import { type DeviceClaims, DeviceError } from "../../containers/devices/device-claims.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { PodPart } from "./pod-part.ts";

/**
 * Prepares the devices of the pod's claims, and unprepares them when the pod runs no containers.
 */
export function devicesPart({
  devices,
  events,
}: {
  devices: Pick<DeviceClaims, "prepare" | "isPrepared" | "unprepare" | "isUsedBy">;
  events: PodEvents;
}): PodPart {
  const prepare = async (pod: BoundPod, signal: AbortSignal): Promise<boolean> => {
    try {
      await devices.prepare(pod, signal);
      return true;
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      const message = `Failed to prepare dynamic resources: ${error.message}`;
      events.warning(pod, "FailedPrepareDynamicResources", message);
      return false;
    }
  };
  return {
    name: "devices",
    reserve: prepare,
    // Only a kubelet whose record was lost finds a sandbox without the devices of its pod.
    isReserved: (pod) => devices.isPrepared(pod),
    // Upstream also reports the end of a pod after its devices were unprepared, because another pod
    // may get them immediately.
    delaysEnd: (uid) => devices.isUsedBy(uid),
    stopped: (uid, signal) => devices.unprepare(uid, signal),
  };
}
