import { countedNoun, findCondition, isPodBound, isPodTerminal, type Pod } from "@kintsugi/api";
import { claimReasons } from "../others/claim.ts";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { listed, singleLine, aboutObject, withText, sentence } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import { findIn, type World } from "../world.ts";
import { missingDevices } from "./missing-devices.ts";
import { nodeVerdicts } from "./node-verdicts.ts";

/** Explains why the pod has no node. */
export function pendingReasons(pod: Pod, world: World): ExplainedReason[] {
  if (isPodBound(pod) || isPodTerminal(pod)) return [];
  const about = aboutObject("Pod", pod);
  const { name, namespace } = about;
  const gates = pod.spec?.schedulingGates ?? [];
  if (gates.length > 0) {
    const patch = '[{"op":"remove","path":"/spec/schedulingGates"}]';
    return [
      {
        code: "SchedulingGated",
        about,
        because: `It has ${countedNoun(gates.length, "scheduling gate")}: ${listed(gates.map((gate) => singleLine(gate.name)))}.`,
        awaits: "the clients that set the gates to remove them",
        next: "The scheduler selects a node when the last gate is removed.",
        remedies: [
          {
            does: "Remove the gates by hand",
            command: kubectlCommand(namespace, "patch", `pod/${name}`, "--type=json", `-p=${patch}`),
          },
        ],
      },
    ];
  }
  const devices = missingDevices(pod, world);
  // The scheduler does not try a pod before its claims exist.
  const isTried = findCondition(pod.status?.conditions, "PodScheduled")?.status === "False";
  return [...unboundClaims(pod, world), ...devices, ...(devices.length > 0 && !isTried ? [] : unscheduled(pod, world))];
}

function unboundClaims(pod: Pod, world: World): ExplainedReason[] {
  if (world.objects.persistentvolumeclaims === undefined) return [];
  const { namespace = "" } = pod.metadata;
  const names = (pod.spec?.volumes ?? []).flatMap((volume) => volume.persistentVolumeClaim?.claimName ?? []);
  return names.flatMap((name) => {
    const claim = findIn(world, "persistentvolumeclaims", { namespace, name });
    if (claim !== undefined) return claimReasons(claim, world, pod);
    const about = { kind: "PersistentVolumeClaim", namespace, name };
    const because = `The pod uses the claim ${singleLine(name)}, which does not exist.`;
    return [{ code: "VolumeUnbound", about, because, awaits: "the claim to be created" } satisfies ExplainedReason];
  });
}

function unscheduled(pod: Pod, world: World): ExplainedReason[] {
  const about = aboutObject("Pod", pod);
  const condition = findCondition(pod.status?.conditions, "PodScheduled");
  const nominated = pod.status?.nominatedNodeName ?? "";
  if (nominated !== "") {
    const because = `The scheduler frees resources for it on node ${nominated}, by removing pods of lower priority.`;
    const next = "It is bound when these pods have ended.";
    return [{ code: "MakingRoom", about, because, awaits: "these pods to end", next }];
  }
  if (condition?.status !== "False") return [notYetScheduled(pod)];
  const verdicts = nodeVerdicts(pod, world);
  return [
    {
      code: "Unschedulable",
      about,
      because: verdicts?.because ?? `The scheduler has no node for it${withText(condition.message)}.`,
      details: verdicts?.details ?? reasonsInSchedulerMessage(condition.message),
      ...sinceOf(condition.lastTransitionTime),
      awaits: "a node that fits",
      next: "The scheduler tries again as soon as a change may help, and binds the pod.",
      remedies: verdicts?.remedies ?? [
        { does: "See the free resources of each node", command: "kubectl describe nodes" },
      ],
    },
  ];
}

function notYetScheduled(pod: Pod): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const scheduler = pod.spec?.schedulerName ?? "default-scheduler";
  const isOurs = scheduler === "default-scheduler";
  return {
    code: "NotYetScheduled",
    about,
    because: isOurs
      ? "The scheduler has not processed it yet."
      : `It waits for a scheduler of the name ${singleLine(scheduler)}, which has not processed it yet.`,
    ...sinceOf(pod.metadata.creationTimestamp),
    awaits: isOurs ? "the scheduler, which needs less than a second if it runs" : "that scheduler",
    remedies: isOurs ? [{ does: "See whether the scheduler runs", command: "kintsugi status" }] : [],
  };
}

/**
 * Lists the reasons in the message of a PodScheduled condition, if only the message is known: "0/3
 * nodes are available: 1 …, 2 …. preemption: …".
 */
function reasonsInSchedulerMessage(message = ""): string[] {
  const [, parts = ""] = /^\d+\/\d+ nodes are available: (.*?)\.(?: |$)/.exec(singleLine(message)) ?? [];
  return parts === "" ? [] : parts.split(/, (?=\d+ )/).map(sentence);
}
