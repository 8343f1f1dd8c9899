import {
  allContainersCouldRestart,
  type ContainerStatus,
  countedNoun,
  isDisruptedBy,
  type PodCondition,
  type PodStatus,
  replacementNeededCondition,
  selfFencedCondition,
} from "@kintsugi/api";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";
import type { PodLife } from "../../model/pod-life.ts";
import type { ConditionVerdict } from "../../model/verdicts.ts";
import type { ObservedPod } from "../../model/observed-pod.ts";
import type { PodPhase } from "./pod-phase.ts";

/**
 * Kintsugi's own: reports whether the restart of the whole pod, requested or due to its containers'
 * failures, has been done.
 */
const restartedCondition = "kintsugi.dev/Restarted";

/**
 * The conditions that the kubelet owns. All other conditions have other owners and are preserved.
 */
export const kubeletConditions: ReadonlySet<string> = new Set([
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "AllContainersRestarting",
  "PodResizePending",
  "PodResizeInProgress",
  restartedCondition,
  selfFencedCondition,
  replacementNeededCondition,
]);

/** Other components also set DisruptionTarget, for their own reasons. */
export function isOwnDisruption(condition: PodCondition): boolean {
  return isDisruptedBy([condition], "TerminationByKubelet");
}

export function podConditions(
  pod: BoundPod,
  {
    observed,
    life,
    replacementNeeded,
  }: { observed: ObservedPod; life: PodLife; replacementNeeded: string | undefined },
  status: PodStatus & { phase: PodPhase },
): ConditionVerdict[] {
  const containersReady = judgeContainersReady(pod, status);
  return [
    judgeReadyToStart(pod, observed),
    judgeInitialized(pod, status),
    judgeReady(pod, containersReady, status.conditions ?? []),
    containersReady,
    { type: "PodScheduled", status: "True" },
    ...judgeRestarts(pod, life, status.phase),
    ...judgeReplacement(replacementNeeded),
  ];
}

/** Only pods that can be restarted as a whole, or were, have this condition. */
function judgeRestarts(pod: BoundPod, life: PodLife, phase: PodPhase): ConditionVerdict[] {
  const verdicts: ConditionVerdict[] = allContainersCouldRestart(pod.spec) ? [judgeAllRestarting(life, phase)] : [];
  const { request, restartRequested, podRestarts } = life;
  const type = restartedCondition;
  if (podRestarts.inARow > 0) {
    const message = `containers kept failing, so the whole pod was restarted: ${countedNoun(podRestarts.inARow, "time")} in a row`;
    return [...verdicts, { type, status: "True", reason: "Escalated", message }];
  }
  if (request === undefined) return verdicts;
  const message = `restart of the whole pod was requested: ${request}`;
  if (restartRequested) return [...verdicts, { type, status: "False", reason: "Restarting", message }];
  return [...verdicts, { type, status: "True", reason: "RestartRequested", message }];
}

/** Only pods that no step on this node has repaired have this condition. */
function judgeReplacement(because: string | undefined): ConditionVerdict[] {
  if (because === undefined) return [];
  return [{ type: replacementNeededCondition, status: "True", reason: "RestartsDoNotHelp", message: because }];
}

/** KEP-5532; pkg/kubelet/status/generate.go GenerateAllContainersRestartingCondition. */
function judgeAllRestarting({ restartedBy }: PodLife, phase: PodPhase): ConditionVerdict {
  const type = "AllContainersRestarting";
  if (phase === "Succeeded") return { type, status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  if (restartedBy === undefined) return { type, status: "False" };
  const message = "container exited with restart policy rule";
  return { type, status: "True", reason: "RestartAllContainersStarted", message };
}

function judgeReadyToStart(pod: BoundPod, observed: ObservedPod): ConditionVerdict {
  const sandbox = observed.sandboxes[0];
  const ready = sandbox?.ready === true && (pod.spec.hostNetwork === true || sandbox.ip !== "");
  return { type: "PodReadyToStartContainers", status: ready ? "True" : "False" };
}

function judgeInitialized(pod: BoundPod, status: PodStatus & { phase: PodPhase }): ConditionVerdict {
  const type = "Initialized";
  const containers = initContainersOf(pod);
  if (containers.length === 0) return { type, status: "True" };
  if (status.phase === "Succeeded") return { type, status: "True", reason: "PodCompleted" };
  if ((status.containerStatuses ?? []).some(hasStarted)) return { type, status: "True" };
  const incomplete = containers.filter((container) => {
    const of = status.initContainerStatuses?.find(({ name }) => name === container.name);
    if (!of) return true;
    return isRestartableInit(container) ? of.started !== true : !of.ready;
  });
  if (incomplete.length === 0) return { type, status: "True" };
  const message = `containers with incomplete status: [${incomplete.map(({ name }) => name).join(" ")}]`;
  return { type, status: "False", reason: "ContainersNotInitialized", message };
}

function judgeContainersReady(pod: BoundPod, status: PodStatus & { phase: PodPhase }): ConditionVerdict {
  const type = "ContainersReady";
  const statuses = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const expected = [...initContainersOf(pod).filter(isRestartableInit), ...pod.spec.containers];
  const unknown = expected.filter(({ name }) => !statuses.some((each) => each.name === name));
  const unready = expected.filter(({ name }) => statuses.some((each) => each.name === name && !each.ready));
  if (status.phase === "Succeeded" && unknown.length === 0) return { type, status: "False", reason: "PodCompleted" };
  if (status.phase === "Failed") return { type, status: "False", reason: "PodFailed" };
  const messages = [
    unknown.length > 0 ? `containers with unknown status: [${unknown.map(({ name }) => name).join(" ")}]` : "",
    unready.length > 0 ? `containers with unready status: [${unready.map(({ name }) => name).join(" ")}]` : "",
  ].filter((text) => text !== "");
  if (messages.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ContainersNotReady", message: messages.join(", ") };
}

function judgeReady(
  pod: BoundPod,
  containersReady: ConditionVerdict,
  conditions: readonly PodCondition[],
): ConditionVerdict {
  const type = "Ready";
  if (containersReady.status !== "True") return { ...containersReady, type };
  const unmet = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const condition = conditions.find((each) => each.type === conditionType);
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  if (unmet.length === 0) return { type, status: "True" };
  return { type, status: "False", reason: "ReadinessGatesNotReady", message: unmet.join(", ") };
}

function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return state?.running !== undefined || state?.terminated !== undefined || lastState?.terminated !== undefined;
}
