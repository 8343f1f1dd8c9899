import { isDeepStrictEqual } from "node:util";
import type { Pod } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { type BoundPod, boundPod } from "../../model/bound-pod.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import type { PodWorkers } from "./pod-workers.ts";

export interface FollowPodDeps {
  workers: Pick<PodWorkers, "update" | "remember" | "removed">;
  statuses: Pick<StatusWriter, "noticeStored">;
}

/**
 * Passes on a change of a pod in the API. A change of only the status does not concern the worker.
 */
export function followPod({ workers, statuses }: FollowPodDeps, change: InformerChange<Pod>): void {
  const pod = boundPod(change.object);
  switch (change.type) {
    case "added":
      return workers.update(pod);
    case "deleted":
      return workers.removed(pod);
    case "modified":
      statuses.noticeStored(pod.metadata.uid, pod);
      if (concernsWorker(boundPod(change.before), pod)) workers.update(pod);
      else workers.remember(pod);
  }
}

function concernsWorker(before: BoundPod, after: BoundPod): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, labels, annotations } = after.metadata;
  return (
    before.metadata.deletionTimestamp !== deletionTimestamp ||
    before.metadata.deletionGracePeriodSeconds !== deletionGracePeriodSeconds ||
    !isDeepStrictEqual(before.metadata.labels, labels) ||
    !isDeepStrictEqual(before.metadata.annotations, annotations) ||
    !isDeepStrictEqual(before.spec, after.spec) ||
    othersConditionsDiffer(before, after)
  );
}

/** Readiness gates are conditions that other clients write and the kubelet reads. */
function othersConditionsDiffer(before: BoundPod, after: BoundPod): boolean {
  const gates = new Set((after.spec.readinessGates ?? []).map(({ conditionType }) => conditionType));
  if (gates.size === 0) return false;
  const gated = (pod: BoundPod) => (pod.status?.conditions ?? []).filter(({ type }) => gates.has(type));
  return !isDeepStrictEqual(gated(before), gated(after));
}
