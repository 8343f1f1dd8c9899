import {
  countedNoun,
  findCondition,
  isMirrorPod,
  isPodReady,
  isPodTerminating,
  type Node,
  type NodeCondition,
  nodeLifecycleConditions,
  type Pod,
} from "@kintsugi/api";
import type { ExplainedReason, Remedy } from "../explanation.ts";
import { budgetReasons, budgetsOf } from "../others/budget.ts";
import { kintsugiCommand, kubectlCommand } from "../words/commands.ts";
import { ownerOf } from "../words/owner.ts";
import { listed, aboutObject, withText } from "../words/phrases.ts";
import { sinceOf } from "../words/times.ts";
import { listOf, type World } from "../world.ts";

/** Explains a node that is cordoned, being drained, drained, or under maintenance. */
export function maintenanceReasons(node: Node, world: World): ExplainedReason[] {
  const about = aboutObject("Node", node);
  const conditions = node.status?.conditions;
  const { drainInProgress, drained, maintenancePlanned, maintenanceInProgress } = nodeLifecycleConditions;
  const isCordoned = node.spec?.unschedulable === true;
  const undo = { does: "Uncordon it", command: kintsugiCommand("uncordon", about.name) };
  const reasons: ExplainedReason[] = [];
  const draining = findCondition(conditions, drainInProgress);
  if (draining?.status === "True") reasons.push(...drainReasons(node, world));
  const done = findCondition(conditions, drained);
  if (done?.status === "True") {
    const because = isCordoned
      ? `Node ${about.name} is drained${withText(done.message)}.`
      : `Node ${about.name} was drained and is schedulable again; its condition ${drained} is outdated.`;
    reasons.push({ code: "Drained", about, because, ...sinceOf(done.lastTransitionTime), remedies: [undo] });
  }
  for (const type of [maintenancePlanned, maintenanceInProgress]) {
    const condition = findCondition(conditions, type);
    if (condition?.status !== "True") continue;
    const because = `Node ${about.name} is marked with ${type}${withText(condition.message)}.`;
    reasons.push({ code: "Draining", about, because, ...sinceOf(condition.lastTransitionTime) });
  }
  if (isCordoned && draining?.status !== "True" && done?.status !== "True")
    reasons.push(cordoned(node, draining, undo));
  return reasons;
}

/** A drain that failed or was interrupted leaves the node cordoned. */
function cordoned(node: Node, draining: NodeCondition | undefined, undo: Remedy): ExplainedReason {
  const about = aboutObject("Node", node);
  const { reason = "", message } = draining ?? {};
  const ended = reason.endsWith("Interrupted") ? "was interrupted" : reason.endsWith("Failed") ? "failed" : undefined;
  const awaits = "a person or a program to uncordon it";
  if (ended === undefined) {
    const because = `Node ${about.name} is cordoned: the scheduler binds no new pods to it, and its present pods remain.`;
    return { code: "Cordoned", about, because, awaits, remedies: [undo] };
  }
  const because = `Node ${about.name} is cordoned, because its drain ${ended}${withText(message)}.`;
  const again = { does: "Continue the drain", command: kintsugiCommand("drain", about.name) };
  return {
    code: "Cordoned",
    about,
    because,
    ...sinceOf(draining?.lastTransitionTime),
    awaits,
    remedies: [again, undo],
  };
}

function drainReasons(node: Node, world: World): ExplainedReason[] {
  const about = aboutObject("Node", node);
  const condition = findCondition(node.status?.conditions, nodeLifecycleConditions.drainInProgress);
  const left = listOf(world, "pods").filter((pod) => pod.spec?.nodeName === about.name && isDrained(pod));
  const names = listed(left.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const budgets = left
    .filter((pod) => !isPodTerminating(pod) && isPodReady(pod))
    .flatMap((pod) => budgetsOf(pod, world));
  const blocking = [...new Set(budgets)].flatMap((budget) => budgetReasons(budget, world));
  return [
    ...blocking,
    {
      code: "Draining",
      about,
      because: `Node ${about.name} is being drained: ${left.length === 0 ? "all pods that had to be evicted are removed" : `${countedNoun(left.length, "pod")} ${left.length === 1 ? "remains" : "remain"} to be evicted (${names})`}.`,
      ...sinceOf(condition?.lastTransitionTime),
      awaits: "these pods to be evicted and to end",
      next: "The drain ends and marks the node as drained.",
      remedies: [
        { does: "Continue a drain that was interrupted", command: kintsugiCommand("drain", about.name) },
        { does: "Cancel the drain", command: kintsugiCommand("uncordon", about.name) },
        {
          does: "See the pods of the node",
          command: kubectlCommand("", "get", "pods", "-A", `--field-selector=spec.nodeName=${about.name}`),
        },
      ],
    },
  ];
}

/** The pods that a drain evicts: pods of DaemonSets, static pods and ended pods are excluded. */
function isDrained(pod: Pod): boolean {
  const hasEnded = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return !hasEnded && !isMirrorPod(pod) && ownerOf(pod)?.kind !== "DaemonSet";
}
