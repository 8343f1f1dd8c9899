import {
  type ContainerStatus,
  formatTimestamp,
  observedGeneration,
  type PodCondition,
  type PodStatus,
  withoutUndefined,
} from "@kintsugi/api";
import {
  type BoundPod,
  containersOf,
  containerStatusesOf,
  initContainersOf,
  isRestartableInit,
  isTerminalPhase,
} from "../../model/bound-pod.ts";
import type { ConditionVerdict, EndVerdict } from "../../model/verdicts.ts";
import type { ProbeVerdicts } from "../plan/steps.ts";
import { replacementNeeded } from "../../model/escalation.ts";
import { currentLifeOf, type PodLife, podLife } from "../../model/pod-life.ts";
import { findContainer, isRunning, type ObservedPod } from "../../model/observed-pod.ts";
import {
  type ContainerStatusInput,
  ephemeralContainerStatuses,
  initContainerStatuses,
  regularContainerStatuses,
} from "./container-statuses.ts";
import { isOwnDisruption, kubeletConditions, podConditions } from "./pod-conditions.ts";
import { nothingResized, type ResizeRecord } from "../../model/allocation.ts";
import { podIpsOf } from "../../model/pod-ips.ts";
import { type PodPhase, podPhase } from "./pod-phase.ts";
import { podQos } from "../../model/pod-qos.ts";
import type { StartFailure } from "../../model/start-failure.ts";

export interface PodStatusInput {
  pod: BoundPod;
  observed: ObservedPod;
  /** The last status: this kubelet's own or, when it has just started, the API's. */
  previous: PodStatus;
  readonly failureOf: (containerName: string) => StartFailure | undefined;
  probes: ProbeVerdicts;
  /** The allocated and actuated resources of a resized pod. */
  resizes?: ResizeRecord;
  /** Conditions that other parts of the kubelet have computed. */
  otherConditions?: readonly ConditionVerdict[];
  nodeIps: readonly string[];
  nowMs: number;
  /** The pod is being stopped and will not run again, so its phase has to become final. */
  over: boolean;
  /** Running time after which a container begins a new series of failures. */
  backoffResetMs: number;
  /** The reason why the kubelet itself ended the pod: rejected, evicted, past its deadline. */
  verdict?: EndVerdict;
}

/** Makes the status of a pod for the API (kubelet_pods.go generateAPIPodStatus). */
export function podStatus(input: PodStatusInput): PodStatus {
  const { pod, observed, previous, over } = input;
  if (neverBegan(input)) return statusOfNeverBegun(input);
  const life = podLife(pod, observed);
  const ofList = (list: readonly ContainerStatus[] = []): ContainerStatusInput => {
    return {
      pod,
      observed,
      life,
      previous: list,
      failureOf: input.failureOf,
      resizes: input.resizes ?? nothingResized,
    };
  };
  const containers = readiness(input, regularContainerStatuses(ofList(previous.containerStatuses)));
  const init = readiness(input, initContainerStatuses(ofList(previous.initContainerStatuses)));
  const ephemeral = ephemeralContainerStatuses(ofList(previous.ephemeralContainerStatuses));
  const phase = finalPhase(input, podPhase(pod, [...containers, ...init], { over, reborn: rebornOf(input, life) }));
  const kept = phase === previous.phase ? previous : {};
  const { reason, message } = input.verdict ?? kept;
  const disruption = input.verdict?.condition ?? previous.conditions?.find(isOwnDisruption);
  const conditions = (pod.status?.conditions ?? []).filter(
    ({ type }) => !kubeletConditions.has(type) && type !== disruption?.type,
  );
  const status: PodStatus & { phase: PodPhase } = {
    ...withoutUndefined({ nominatedNodeName: pod.status?.nominatedNodeName, resize: pod.status?.resize }),
    phase,
    ...observedGeneration(pod),
    conditions,
    ...withoutUndefined({ reason, message }),
    ...addresses(input),
    startTime: previous.startTime ?? formatTimestamp(input.nowMs),
    ...(init.length > 0 ? { initContainerStatuses: init } : {}),
    containerStatuses: containers,
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
    qosClass: podQos(pod),
  };
  const when = { resetMs: input.backoffResetMs, nowMs: input.nowMs };
  const because = isTerminalPhase(phase) ? undefined : replacementNeeded(pod, currentLifeOf(observed, life), when);
  const verdicts = [
    ...podConditions(pod, { observed, life, replacementNeeded: because }, status),
    ...(input.otherConditions ?? []),
  ];
  if (disruption) verdicts.push(disruption);
  status.conditions = [...verdicts.map((verdict) => dated(verdict, input)), ...conditions];
  return status;
}

/**
 * Reports whether this kubelet rejected the pod, now or before a restart of the kubelet, so that
 * the pod has ended without any container status.
 */
function neverBegan({ observed, previous, verdict }: PodStatusInput): boolean {
  if (verdict?.isRejection) return true;
  const nothingSeen = observed.sandboxes.length === 0 && observed.containers.length === 0;
  return nothingSeen && isTerminalPhase(previous.phase) && containerStatusesOf({ status: previous }).length === 0;
}

/**
 * The status has the reason but no containers. The containers do not count as lost, because they
 * never existed (kubelet.go rejectPod).
 */
function statusOfNeverBegun({ pod, previous, verdict, nowMs }: PodStatusInput): PodStatus {
  const phase: PodStatus["phase"] = verdict ? "Failed" : previous.phase;
  const { reason, message } = verdict ?? previous;
  return {
    ...withoutUndefined({ nominatedNodeName: pod.status?.nominatedNodeName, phase, reason, message }),
    ...observedGeneration(pod),
    conditions: (pod.status?.conditions ?? []).filter(({ type }) => !kubeletConditions.has(type)),
    startTime: previous.startTime ?? formatTimestamp(nowMs),
    qosClass: podQos(pod),
  };
}

/** The containers whose newest instance belongs to a life of the pod that has ended. */
function rebornOf({ pod, observed }: PodStatusInput, life: PodLife): ReadonlySet<string> {
  const names = containersOf(pod).map(({ name }) => name);
  return new Set(
    names.filter((name) => {
      const newest = findContainer(observed, name);
      return newest !== undefined && !life.isCurrent(newest);
    }),
  );
}

/** Final phases are unchanged, including final phases that another component set. */
function finalPhase(input: PodStatusInput, computed: PodPhase): PodPhase {
  if (input.verdict) return "Failed";
  const stored = input.pod.status?.phase;
  for (const said of [stored, input.previous.phase]) {
    if (isTerminalPhase(said)) return said as "Succeeded" | "Failed";
  }
  return computed;
}

/** Sets whether each running container counts as started and ready, from its probes. */
function readiness(input: PodStatusInput, statuses: readonly ContainerStatus[]): ContainerStatus[] {
  const specs = containersOf(input.pod);
  return statuses.map((status) => {
    const spec = specs.find(({ name }) => name === status.name);
    const newest = findContainer(input.observed, status.name);
    const init = initContainersOf(input.pod).find(({ name }) => name === status.name);
    if (init && !isRestartableInit(init)) {
      const { terminated, running } = status.state ?? {};
      return { ...status, ready: terminated?.exitCode === 0, started: running !== undefined };
    }
    if (!newest || !isRunning(newest) || !status.state?.running) return status;
    const started = !spec?.startupProbe || input.probes.startup(newest.id) === "success";
    const ready = started && (!spec?.readinessProbe || input.probes.readiness(newest.id) === "success");
    return { ...status, started, ready };
  });
}

type Addresses = Pick<PodStatus, "hostIP" | "hostIPs" | "podIP" | "podIPs">;

function addresses({ pod, observed, previous, nodeIps }: PodStatusInput): Addresses {
  const sandbox = observed.sandboxes[0];
  const podIps = sandbox?.ready || pod.spec.hostNetwork ? podIpsOf(pod, sandbox, nodeIps) : [];
  // A pod that ended keeps its last address.
  const ips = podIps.length > 0 ? podIps : sandbox && !sandbox.ready ? (previous.podIPs ?? []).map(({ ip }) => ip) : [];
  const said: Addresses = {};
  if (nodeIps[0] !== undefined) {
    said.hostIP = nodeIps[0];
    said.hostIPs = nodeIps.map((ip) => ({ ip }));
  }
  if (ips[0] !== undefined) {
    said.podIP = ips[0];
    said.podIPs = ips.map((ip) => ({ ip }));
  }
  return said;
}

/** A condition's time changes only with its status. */
function dated(verdict: ConditionVerdict, { pod, previous, nowMs }: PodStatusInput): PodCondition {
  const before = previous.conditions?.find(({ type }) => type === verdict.type);
  const since = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  return Object.assign(withoutUndefined(verdict), observedGeneration(pod), {
    lastTransitionTime: since ?? formatTimestamp(nowMs),
  }) as PodCondition;
}
