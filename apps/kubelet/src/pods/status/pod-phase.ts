import type { ContainerStatus } from "@kintsugi/api";
import { restartsAfter } from "../../model/should-restart.ts";
import { type BoundPod, initContainersOf, isRestartableInit } from "../../model/bound-pod.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

interface Tally {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  /** Containers that are stopped and about to be restarted. */
  returning: number;
}

export interface PhaseInput {
  /** The pod will not continue to run, under any restart policy. */
  over: boolean;
  /** Containers of an ended life of the pod. They restart, regardless of how they ended. */
  reborn: ReadonlySet<string>;
}

/** Derives a pod's phase from its containers' statuses (kubelet_pods.go getPhase). */
export function podPhase(pod: BoundPod, statuses: readonly ContainerStatus[], { over, reborn }: PhaseInput): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const init = tallyInit(pod, byName, reborn);
  const tally: Tally = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0, returning: 0 };
  for (const container of pod.spec.containers)
    count(
      tally,
      byName.get(container.name),
      (code) => reborn.has(container.name) || restartsAfter(pod, container, code),
    );
  if (init.failed > 0) return "Failed";
  if (init.pending > 0 && !over) return "Pending";
  if (tally.waiting > 0) return over ? "Failed" : "Pending";
  if (tally.running > 0 && tally.unknown === 0) return "Running";
  if (tally.running === 0 && tally.stopped > 0 && tally.unknown === 0) return phaseOfStopped(tally, over);
  return over ? "Failed" : "Pending";
}

function phaseOfStopped(tally: Tally, over: boolean): PodPhase {
  if (tally.returning > 0 && !over) return "Running";
  return tally.stopped === tally.succeeded ? "Succeeded" : "Failed";
}

function tallyInit(
  pod: BoundPod,
  byName: ReadonlyMap<string, ContainerStatus>,
  reborn: ReadonlySet<string>,
): { pending: number; failed: number } {
  const result = { pending: 0, failed: 0 };
  for (const container of initContainersOf(pod)) {
    const status = byName.get(container.name);
    if (reborn.has(container.name)) {
      result.pending++;
      continue;
    }
    if (isRestartableInit(container)) {
      const settled = status?.started === true || status?.state?.terminated || status?.lastState?.terminated;
      if (!settled) result.pending++;
      continue;
    }
    const ended = status?.state?.terminated ?? (status?.state?.waiting ? status.lastState?.terminated : undefined);
    if (!ended) result.pending++;
    else if (ended.exitCode !== 0 && !restartsAfter(pod, container, ended.exitCode)) result.failed++;
  }
  return result;
}

function count(tally: Tally, status: ContainerStatus | undefined, returnsAfter: (exitCode: number) => boolean): void {
  const { state, lastState } = status ?? {};
  const ended = state?.terminated ?? (state?.waiting ? lastState?.terminated : undefined);
  if (state?.running) tally.running++;
  else if (ended) {
    tally.stopped++;
    if (ended.exitCode === 0) tally.succeeded++;
    if (returnsAfter(ended.exitCode)) tally.returning++;
  } else if (state?.waiting) tally.waiting++;
  else tally.unknown++;
}
