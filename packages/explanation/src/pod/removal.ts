import { containerStories, type DisruptionReason, findCondition, isMirrorPod, type Pod } from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { editedOwner } from "../words/owner.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";

/** The component behind each disruption reason, in a user's words. */
const removers: Readonly<Record<DisruptionReason, string>> = {
  PreemptionByScheduler: "The scheduler preempts it for a pod of higher priority",
  DeletionByTaintManager: "It is removed because it does not tolerate a taint of its node",
  DeletionByDeviceTaintManager: "It is removed because its device has a taint that the pod does not tolerate",
  EvictionByEvictionAPI: "A client evicts it, as kubectl drain does",
  DeletionByPodGC: "It is removed because its node no longer exists or is out of service",
  TerminationByKubelet: "Its kubelet stops it because the node lacks a resource or shuts down",
};

/** Explains which component removes the pod, or has made it fail, and why. */
export function removalReasons(pod: Pod, world: World): ExplainedReason[] {
  const about = aboutObject("Pod", pod);
  const { status } = pod;
  const target = findCondition(status?.conditions, "DisruptionTarget");
  const next = afterwards(pod, world);
  const reasons: ExplainedReason[] = [];
  if (target?.status === "True") {
    const remover = removers[target.reason as DisruptionReason] ?? `It is removed (${singleLine(target.reason)})`;
    const because = `${remover}${withText(target.message)}.`;
    reasons.push({ code: "Disrupted", about, because, ...sinceOf(target.lastTransitionTime), next });
  }
  if (status?.phase === "Failed") reasons.push(failure(pod, next));
  return reasons;
}

function failure(pod: Pod, next: string): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { reason = "", message } = pod.status ?? {};
  if (reason === "Evicted") {
    const because = `Its kubelet evicted it${withText(message)}.`;
    return { code: "Evicted", about, because, next };
  }
  if (reason !== "")
    return { code: "Failed", about, because: `It failed: ${singleLine(reason)}${withText(message)}.`, next };
  const ends = containerStories(pod).flatMap(({ container, ends: [end] }) =>
    end === undefined || end.exitCode === 0 ? [] : [`container ${container}: ${singleLine(end.because)}`],
  );
  const statuses = (pod.status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const end = state?.terminated;
    return end === undefined || end.exitCode === 0
      ? []
      : [`container ${name}: exit code ${end.exitCode}${withText(end.reason)}`];
  });
  const [container] = (pod.status?.containerStatuses ?? []).filter(({ state }) => state?.terminated?.exitCode !== 0);
  return {
    code: "Failed",
    about,
    because:
      "Its containers have ended, at least one of them with an error, and its restart policy does not restart them.",
    details: ends.length > 0 ? ends : statuses,
    next,
    remedies: [
      {
        does: "Read the last lines of the container",
        command: kubectlCommand(
          about.namespace,
          "logs",
          about.name,
          ...(container === undefined ? [] : ["-c", container.name]),
        ),
      },
    ],
  };
}

/** Describes what happens to the work of a pod that is removed. */
export function afterwards(pod: Pod, world: World): string {
  if (isMirrorPod(pod)) return "Its node creates it again as long as its manifest exists.";
  const owner = editedOwner(pod, world);
  if (owner === undefined) return "No controller owns it, so it is not replaced.";
  const same = owner.kind === "StatefulSet" ? " of the same name, once this pod has certainly stopped" : "";
  if (owner.kind === "DaemonSet")
    return `The DaemonSet ${owner.name} creates another pod as long as it belongs on the node.`;
  if (owner.kind === "Job") return `The Job ${owner.name} creates another pod as long as its failure limit allows it.`;
  return `The ${owner.kind} ${owner.name} creates another pod${same}.`;
}
