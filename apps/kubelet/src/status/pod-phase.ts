import type { ContainerStatus } from "@kintsugi/api";
import { type BoundPod, initContainersOf, isRestartableInit, restartPolicyOf } from "../pods/bound-pod.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

interface Tally {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
}

/**
 * A pod's phase from what is said of its containers (kubelet_pods.go getPhase). `over`: the pod will not be run any
 * further, whatever its restart policy.
 */
export function podPhase(pod: BoundPod, statuses: readonly ContainerStatus[], over: boolean): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const init = tallyInit(pod, byName);
  const tally: Tally = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { name } of pod.spec.containers) count(tally, byName.get(name));
  if (init.failed > 0 && restartPolicyOf(pod) === "Never") return "Failed";
  if (init.pending > 0 && !over) return "Pending";
  if (tally.waiting > 0) return over ? "Failed" : "Pending";
  if (tally.running > 0 && tally.unknown === 0) return "Running";
  if (tally.running === 0 && tally.stopped > 0 && tally.unknown === 0) return phaseOfStopped(pod, tally, over);
  return over ? "Failed" : "Pending";
}

function phaseOfStopped(pod: BoundPod, tally: Tally, over: boolean): PodPhase {
  const allSucceeded = tally.stopped === tally.succeeded;
  if (over) return allSucceeded ? "Succeeded" : "Failed";
  if (restartPolicyOf(pod) === "Always") return "Running";
  if (allSucceeded) return "Succeeded";
  return restartPolicyOf(pod) === "Never" ? "Failed" : "Running";
}

function tallyInit(pod: BoundPod, byName: ReadonlyMap<string, ContainerStatus>): { pending: number; failed: number } {
  const result = { pending: 0, failed: 0 };
  for (const container of initContainersOf(pod)) {
    const status = byName.get(container.name);
    if (isRestartableInit(container)) {
      const settled = status?.started === true || status?.state?.terminated || status?.lastState?.terminated;
      if (!settled) result.pending++;
      continue;
    }
    const ended = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
    if (!ended) result.pending++;
    else if (ended.exitCode !== 0) result.failed++;
  }
  return result;
}

function count(tally: Tally, status: ContainerStatus | undefined): void {
  const { state, lastState } = status ?? {};
  if (state?.running) tally.running++;
  else if (state?.terminated) {
    tally.stopped++;
    if (state.terminated.exitCode === 0) tally.succeeded++;
  } else if (state?.waiting) {
    if (!lastState?.terminated) tally.waiting++;
    else {
      tally.stopped++;
      if (lastState.terminated.exitCode === 0) tally.succeeded++;
    }
  } else tally.unknown++;
}
