import {
  compareText,
  findCondition,
  isPodReady,
  isSidecar,
  parseTimestamp,
  type Pod,
  podDeletionCostAnnotation,
} from "@kintsugi/api";

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

export interface DeletionChoice {
  /** The pods to choose from. */
  pods: readonly Pod[];
  /**
   * Pods of the same application, including this set's: a node that has many such pods loses a pod
   * first.
   */
  related: readonly Pod[];
  count: number;
}

/**
 * Chooses the pods that a set deletes when it has too many, the least useful first: upstream's
 * ActivePodsWithRanks.
 */
export function planDeletions({ pods, related, count }: DeletionChoice, nowMs: number): readonly Pod[] {
  if (count >= pods.length) return pods;
  const perNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName ?? "";
    if (node !== "") perNode.set(node, (perNode.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => ({ pod, rank: perNode.get(pod.spec?.nodeName ?? "") ?? 0 }));
  ranked.sort((a, b) => compare(a, b, nowMs));
  return ranked.slice(0, count).map(({ pod }) => pod);
}

interface RankedPod {
  pod: Pod;
  /** The number of related pods on the same node. */
  rank: number;
}

/** Negative when `a` is deleted before `b`. */
function compare(a: RankedPod, b: RankedPod, nowMs: number): number {
  return (
    isAssigned(a.pod) - isAssigned(b.pod) ||
    phase(a.pod) - phase(b.pod) ||
    Number(isPodReady(a.pod)) - Number(isPodReady(b.pod)) ||
    deletionCost(a.pod) - deletionCost(b.pod) ||
    b.rank - a.rank ||
    (isPodReady(a.pod) ? compareAge(a.pod, b.pod, { since: readySinceMs, nowMs }) : 0) ||
    compareRestarts(a.pod, b.pod) ||
    compareAge(a.pod, b.pod, { since: createdMs, nowMs })
  );
}

function isAssigned(pod: Pod): number {
  return (pod.spec?.nodeName ?? "") === "" ? 0 : 1;
}

function phase(pod: Pod): number {
  return phaseOrder[pod.status?.phase ?? ""] ?? 0;
}

function deletionCost(pod: Pod): number {
  const text = pod.metadata.annotations?.[podDeletionCostAnnotation] ?? "";
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

interface Age {
  since: (pod: Pod) => number | undefined;
  nowMs: number;
}

/**
 * The younger pod is first. Ages of one order of magnitude (base 2) count as equal, and then the
 * UID decides, which is effectively random. Otherwise the zone with the newest pods would always
 * lose a pod.
 */
function compareAge(a: Pod, b: Pod, { since, nowMs }: Age): number {
  const [aMs, bMs] = [since(a), since(b)];
  if (aMs === bMs) return 0;
  if (aMs === undefined || bMs === undefined) return Number(aMs !== undefined) - Number(bMs !== undefined);
  return ageMagnitude(aMs, nowMs) - ageMagnitude(bMs, nowMs) || compareText(a.metadata.uid ?? "", b.metadata.uid ?? "");
}

function ageMagnitude(sinceMs: number, nowMs: number): number {
  const ageNanos = (nowMs - sinceMs) * 1e6;
  return ageNanos > 0 ? Math.trunc(Math.log2(ageNanos)) : -1;
}

function readySinceMs(pod: Pod): number | undefined {
  return instant(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime);
}

function createdMs(pod: Pod): number | undefined {
  return instant(pod.metadata.creationTimestamp);
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseTimestamp(text);
}

/**
 * The pod with more restarts is first; sidecars count only between pods whose main containers are
 * equal.
 */
function compareRestarts(a: Pod, b: Pod): number {
  const [mainA, sidecarA] = restarts(a);
  const [mainB, sidecarB] = restarts(b);
  return mainB - mainA || sidecarB - sidecarA;
}

function restarts(pod: Pod): [main: number, sidecar: number] {
  const main = (pod.status?.containerStatuses ?? []).map((status) => status.restartCount);
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
  const sidecar = (pod.status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  return [Math.max(0, ...main), Math.max(0, ...sidecar.map((status) => status.restartCount))];
}
