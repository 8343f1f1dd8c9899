import type { PodCgroups } from "../../containers/cgroups/pod-cgroups.ts";
import { CgroupError } from "../../machine/kernel/cgroups.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { PodPart } from "./pod-part.ts";

/** Creates the pod's cgroup before its first process, and updates the limits before each start. */
export function cgroupsPart({
  podCgroups,
  events,
}: {
  podCgroups: Pick<PodCgroups, "ensure" | "remove">;
  events: PodEvents;
}): PodPart {
  const ensure = async (pod: BoundPod): Promise<void> => {
    try {
      await podCgroups.ensure(pod);
    } catch (error) {
      if (error instanceof CgroupError) {
        const message = `unable to ensure pod container exists: ${error.message}`;
        events.warning(pod, "FailedToCreatePodContainer", message);
      }
      throw error;
    }
  };
  return {
    name: "cgroups",
    beforeSandbox: ensure,
    // A restart may apply resources that were allocated to the container since its last start.
    beforeContainer: ensure,
    removeRemains: (uid) => podCgroups.remove(uid),
  };
}
