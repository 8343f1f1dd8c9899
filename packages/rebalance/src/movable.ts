import {
  configAnnotations,
  isPodActive,
  isPodReady,
  type Pod,
  type PodDisruptionBudget,
  rebalanceAnnotation,
  podDeletionCostAnnotation,
} from "@kintsugi/api";
import { podInfoOf, splitByBudgets } from "@kintsugi/scheduling";
import { findRecord } from "./record.ts";
import type { Owner } from "./world.ts";

/** Finds the reason why this pod does not move; undefined if it may move. */
export function findPodHold(
  pod: Pod,
  { owner, budgets, mark }: { owner: Owner; budgets: readonly PodDisruptionBudget[]; mark: string },
): string | undefined {
  const { annotations, uid = "" } = pod.metadata;
  if (annotations?.[configAnnotations.mirror] !== undefined) return "it is a static pod";
  if (!isPodActive(pod) || !isPodReady(pod)) return "it is not Ready";
  const record = findRecord(owner.object);
  if (record?.nodes === mark && record.moved.includes(uid)) return "it has moved since the nodes changed";
  if (pod.spec?.priorityClassName?.startsWith("system-") === true) return "it is critical to the cluster";
  const holdsData = (pod.spec?.volumes ?? []).find(({ emptyDir }) => emptyDir !== undefined);
  if (holdsData !== undefined && owner.object.metadata.annotations?.[rebalanceAnnotation] !== "true")
    return `its emptyDir volume ${holdsData.name} would be lost`;
  const hasClaim = (pod.spec?.volumes ?? []).find(({ ephemeral }) => ephemeral !== undefined);
  if (hasClaim !== undefined) return `its ephemeral volume ${hasClaim.name} would be lost`;
  const { breaking } = splitByBudgets([podInfoOf(pod)], budgets);
  return breaking.length === 0 ? undefined : "a PodDisruptionBudget does not allow a disruption";
}

/** The pod whose loss costs least is first; of equal pods, the pod that started last. */
export function byCost(a: Pod, b: Pod): number {
  const costs = costOf(a) - costOf(b);
  if (costs !== 0) return costs;
  const [startA, startB] = [a.status?.startTime ?? "", b.status?.startTime ?? ""];
  if (startA !== startB) return startA > startB ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}

function costOf({ metadata }: Pod): number {
  const cost = Number(metadata.annotations?.[podDeletionCostAnnotation] ?? 0);
  return Number.isFinite(cost) ? cost : 0;
}
