import { findCondition, isPodTerminal, type Pod, instantOf } from "@kintsugi/api";
import { isSilent, silentNodeRemedies } from "@kintsugi/rules";
import type { ExplainedReason, Remedy } from "../explanation.ts";
import { kintsugiCommand } from "../words/commands.ts";
import { ownerOf } from "../words/owner.ts";
import { finalizerReasons } from "../words/finalizers.ts";
import { newestEvent, timeOf } from "../words/newest-event.ts";
import { aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import { findIn, type World } from "../world.ts";

/** Time that a kubelet needs to remove an ended pod; a longer time is a separate reason. */
const removalMs = 10_000;

/** Explains a pod that is being deleted and still exists. */
export function terminatingReasons(pod: Pod, world: World): ExplainedReason[] {
  const { metadata, spec } = pod;
  const deadlineMs = instantOf(metadata.deletionTimestamp);
  if (deadlineMs === undefined) return [];
  const about = aboutObject("Pod", pod);
  const nodeName = spec?.nodeName ?? "";
  const node = nodeName === "" ? undefined : findIn(world, "nodes", { name: nodeName });
  const finalizers = finalizerReasons(about, metadata.finalizers ?? []);
  if (isPodTerminal(pod) && finalizers.length > 0) return finalizers;
  if (node !== undefined && isSilent(node)) return [silentReason(pod, nodeName, world), ...finalizers];
  if (world.objects.nodes !== undefined && nodeName !== "" && node === undefined) {
    const because = `Its node ${nodeName} no longer exists, so no kubelet ends it.`;
    const next = "The pod garbage collector removes it within a minute.";
    return [{ code: "KubeletSilent", about, because, next }, ...finalizers];
  }
  const overdueMs = world.nowMs - deadlineMs;
  if (overdueMs > removalMs) return [overdueReason(pod, world), ...finalizers];
  const grace = metadata.deletionGracePeriodSeconds ?? 0;
  const next = "At the end of this time, the kubelet kills the containers that still run, and removes the pod.";
  const because = `It was deleted and has ${grace} seconds to end.`;
  return [
    { code: "Terminating", about, because, ...dueOf(deadlineMs, "termination grace period"), next },
    ...finalizers,
  ];
}

function silentReason(pod: Pod, nodeName: string, world: World): ExplainedReason {
  const { name = "", namespace = "" } = pod.metadata;
  const node = findIn(world, "nodes", { name: nodeName });
  const commands = silentNodeRemedies(nodeName, { namespace, name });
  const owner = ownerOf(pod);
  const remedies: Remedy[] = [
    { does: "Declare that a killed node of this lab is off", command: kintsugiCommand("node", "fence", nodeName) },
    { does: "Declare that another machine is off, if it certainly is", command: commands.taintNode },
    { does: "Delete the node, if it will not return", command: commands.deleteNode },
    { does: "Force-delete the pod, if its containers have certainly stopped", command: commands.deletePod },
  ];
  const next =
    owner?.kind === "StatefulSet"
      ? `${owner.name} creates no other pod of this name until then, because both could run at the same time.`
      : "Until then it may still run there; a replacement does not wait for it.";
  return {
    code: "KubeletSilent",
    about: aboutObject("Pod", pod),
    because: `It was deleted, but node ${nodeName} does not respond, so it may still run.`,
    ...sinceOf(findCondition(node?.status?.conditions, "Ready")?.lastTransitionTime),
    awaits: `node ${nodeName} to be ready again and to confirm the end`,
    next,
    remedies,
  };
}

/** The node answers, and the pod's grace period is over: something delays its kubelet. */
function overdueReason(pod: Pod, world: World): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { name = "", namespace = "" } = pod.metadata;
  const reasons = ["FailedKillPod", "FailedUnMount", "FailedUnmount", "FailedDetachVolume", "ExceededGracePeriod"];
  const event = newestEvent(world, about, { reasons });
  const node = pod.spec?.nodeName ?? "";
  return {
    code: "TerminationOverdue",
    about,
    because:
      `Its time to end is over, but the kubelet of ${node === "" ? "its node" : `node ${node}`} has not removed it` +
      `${event === undefined ? "" : withText(event.message)}.`,
    since: pod.metadata.deletionTimestamp as string,
    awaits: "the kubelet to stop the containers and to unmount the volumes",
    ...(event === undefined || timeOf(event) === 0 ? {} : { details: [`${event.reason}${withText(event.message)}`] }),
    remedies: [{ does: "Read the kubelet's events", command: `kubectl -n ${namespace} describe pod ${name}` }],
  };
}
