import {
  type Container,
  type ContainerStatus,
  findCondition,
  isPodTerminal,
  type Pod,
  type Probe,
  replacementNeededCondition,
  selfFencedCondition,
  instantOf,
} from "@kintsugi/api";
import type { ExplainedReason } from "../explanation.ts";
import { kubectlCommand } from "../words/commands.ts";
import { newestEvent, timeOf } from "../words/newest-event.ts";
import { singleLine, aboutObject, withText } from "../words/phrases.ts";
import { dueOf, sinceOf } from "../words/times.ts";
import type { World } from "../world.ts";

/** The numbers of a probe, with upstream's defaults, which the API server writes into each pod. */
function numbersOf(probe: Probe | undefined) {
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3, successThreshold = 1 } = probe ?? {};
  return { initialDelaySeconds, periodSeconds, failureThreshold, successThreshold };
}

/** Explains why a pod whose containers run is not ready: probes and readiness gates. */
export function healthReasons(pod: Pod, world: World): ExplainedReason[] {
  if (isPodTerminal(pod)) return [];
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const containers = [...sidecars, ...(pod.spec?.containers ?? [])];
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const reasons = containers.flatMap((container) => {
    const status = statuses.find(({ name }) => name === container.name);
    return status?.state?.running === undefined ? [] : probeReasons(pod, { container, status }, world);
  });
  return [...reasons, ...gateReasons(pod), ...fenceReasons(pod), ...replacementReasons(pod)];
}

interface Watched {
  readonly container: Container;
  readonly status: ContainerStatus;
}

function probeReasons(pod: Pod, watched: Watched, world: World): ExplainedReason[] {
  const { container, status } = watched;
  const { startupProbe, readinessProbe, livenessProbe } = container;
  if (startupProbe !== undefined && status.started !== true) return [startup(pod, watched, world)];
  return [
    ...(livenessProbe === undefined ? [] : liveness(pod, { ...watched, probe: livenessProbe }, world)),
    ...(readinessProbe === undefined || status.ready ? [] : [readiness(pod, watched, world)]),
  ];
}

function startup(pod: Pod, { container, status }: Watched, world: World): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { initialDelaySeconds, periodSeconds, failureThreshold } = numbersOf(container.startupProbe);
  const startedMs = instantOf(status.state?.running?.startedAt);
  const limitMs = (initialDelaySeconds + periodSeconds * failureThreshold) * 1000;
  const failed = lastFailure(pod, "Startup", world);
  return {
    code: "StartupProbe",
    about,
    because: `The startup probe of container ${container.name} has not succeeded yet${withText(failed?.message)}.`,
    ...sinceOf(status.state?.running?.startedAt),
    awaits: `a successful check; the kubelet checks every ${periodSeconds}s`,
    ...dueOf(startedMs === undefined ? undefined : startedMs + limitMs, "probe threshold"),
    next: `After ${failureThreshold} failed checks in a row the kubelet kills the container and starts it again.`,
    remedies: [logs(pod, container)],
  };
}

/**
 * Applies only while the last failure is so recent that the next check decides about the container.
 */
function liveness(pod: Pod, { container, probe }: Watched & { probe: Probe }, world: World): ExplainedReason[] {
  const { periodSeconds, failureThreshold } = numbersOf(probe);
  const failed = lastFailure(pod, "Liveness", world);
  if (failed === undefined || world.nowMs - timeOf(failed) > periodSeconds * 2000) return [];
  return [
    {
      code: "LivenessProbe",
      about: aboutObject("Pod", pod),
      because: `The liveness probe of container ${container.name} fails${withText(failed.message)}.`,
      awaits: `a successful check; the kubelet checks every ${periodSeconds}s`,
      next: `After ${failureThreshold} failed checks in a row the kubelet kills the container and starts it again.`,
      remedies: [logs(pod, container)],
    },
  ];
}

function readiness(pod: Pod, { container, status }: Watched, world: World): ExplainedReason {
  const about = aboutObject("Pod", pod);
  const { initialDelaySeconds, periodSeconds, successThreshold } = numbersOf(container.readinessProbe);
  const failed = lastFailure(pod, "Readiness", world);
  const startedMs = instantOf(status.state?.running?.startedAt);
  const firstMs = startedMs === undefined ? 0 : startedMs + initialDelaySeconds * 1000;
  const isEarly = failed === undefined && firstMs > world.nowMs;
  return {
    code: "ReadinessProbe",
    about,
    because: isEarly
      ? `The readiness probe of container ${container.name} begins ${initialDelaySeconds}s after the container's start.`
      : `The readiness probe of container ${container.name} does not succeed${withText(failed?.message)}.`,
    ...sinceOf(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime),
    awaits: `${successThreshold === 1 ? "a successful check" : `${successThreshold} successful checks in a row`}; the kubelet checks every ${periodSeconds}s`,
    ...(isEarly ? dueOf(firstMs, "probe threshold") : {}),
    next: "The pod becomes ready, and Services send it traffic.",
    remedies: [logs(pod, container)],
  };
}

function gateReasons(pod: Pod): ExplainedReason[] {
  const about = aboutObject("Pod", pod);
  return (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }): ExplainedReason[] => {
    const condition = findCondition(pod.status?.conditions, conditionType);
    if (condition?.status === "True") return [];
    const state =
      condition === undefined ? "has not been set yet" : `is ${condition.status}${withText(condition.message)}`;
    return [
      {
        code: "ReadinessGate",
        about,
        because: `Its readiness gate ${singleLine(conditionType)} ${state}.`,
        ...sinceOf(condition?.lastTransitionTime),
        awaits: `the client that owns this condition to set it to True`,
        next: "The pod becomes ready if its containers are ready.",
      },
    ];
  });
}

/**
 * Kintsugi's own reason: the kubelet was cut off, and stopped the pod before a replacement may run.
 */
function fenceReasons(pod: Pod): ExplainedReason[] {
  const condition = findCondition(pod.status?.conditions, selfFencedCondition);
  if (condition?.status !== "True") return [];
  const because = `Its kubelet keeps its containers stopped, because the node was disconnected${withText(condition.message)}.`;
  const awaits = "the kubelet to renew its lease";
  return [
    { code: "SelfFenced", about: aboutObject("Pod", pod), because, ...sinceOf(condition.lastTransitionTime), awaits },
  ];
}

/** Kintsugi's own reason: restarts on this node have not helped. */
function replacementReasons(pod: Pod): ExplainedReason[] {
  const condition = findCondition(pod.status?.conditions, replacementNeededCondition);
  if (condition?.status !== "True") return [];
  return [
    {
      code: "RestartsDoNotHelp",
      about: aboutObject("Pod", pod),
      because: `Restarts on this node do not repair it${withText(condition.message)}.`,
      ...sinceOf(condition.lastTransitionTime),
      next: "The escalation controller replaces the pod on another node, within the limits of its budgets.",
    },
  ];
}

function lastFailure(pod: Pod, probe: "Startup" | "Liveness" | "Readiness", world: World) {
  const pattern = new RegExp(`^${probe} probe (failed|errored|warning)`);
  return newestEvent(world, aboutObject("Pod", pod), { reasons: ["Unhealthy", "ProbeWarning"], pattern });
}

function logs(pod: Pod, { name }: Container) {
  const { name: podName = "", namespace = "" } = pod.metadata;
  return { does: "Read the output of the container", command: kubectlCommand(namespace, "logs", podName, "-c", name) };
}
