import { podRequests, systemCriticalPriority, type Volume } from "@kintsugi/api";
import { type BoundPod, isStaticPod } from "../../model/bound-pod.ts";
import type { ContainerStats, FsStats, PodStats } from "../stats/stats-api.ts";
import type { EvictionSignal } from "./signals.ts";
import { resourceOf } from "./signals.ts";

/** Returns the usage of a pod; undefined where it is unknown. */
export type StatsOf = (pod: BoundPod) => PodStats | undefined;

export interface RankOptions {
  /** True where images and containers' layers are on a separate file system. */
  dedicatedImageFs: boolean;
}

type Compare = (a: BoundPod, b: BoundPod) => number;

/**
 * Ranks the pods in the order of their eviction when `signal` is short. The first of these criteria
 * that differs between two pods decides (helpers.go, rank…).
 */
export function rankPods(
  pods: readonly BoundPod[],
  signal: EvictionSignal,
  { statsOf, dedicatedImageFs }: RankOptions & { statsOf: StatsOf },
): BoundPod[] {
  const resource = resourceOf[signal];
  switch (resource) {
    case "memory": {
      const usage = (stats: PodStats) => stats.memory?.workingSetBytes ?? 0;
      return ordered(pods, [exceeding(statsOf, usage, "memory"), byPriority, byExcess(statsOf, usage, "memory")]);
    }
    case "pids":
      return ordered(pods, [byPriority, byExcess(statsOf, (stats) => stats.process_stats?.process_count ?? 0)]);
    case "ephemeral-storage":
    case "inodes": {
      const measured = measuredParts(signal, dedicatedImageFs);
      const usage = (stats: PodStats, pod: BoundPod) => diskUsage(stats, pod, measured)[resource];
      // Pods cannot request inodes, so every pod that uses any exceeds its requests. Upstream then
      // subtracts the requested ephemeral-storage, and so does this kubelet.
      return ordered(pods, [
        exceeding(statsOf, usage, resource === "inodes" ? undefined : resource),
        byPriority,
        byExcess(statsOf, usage, "ephemeral-storage"),
      ]);
    }
  }
}

function ordered(pods: readonly BoundPod[], orders: readonly Compare[]): BoundPod[] {
  return pods.toSorted((a, b) => {
    for (const order of orders) {
      const verdict = order(a, b);
      if (verdict !== 0) return verdict;
    }
    return 0;
  });
}

type Usage = (stats: PodStats, pod: BoundPod) => number;

/** A pod that uses more than its request is evicted before a pod that does not. */
function exceeding(statsOf: StatsOf, usage: Usage, resource: string | undefined): Compare {
  return (a, b) =>
    compareKnown(statsOf, [a, b], (stats, pod) => (usage(stats, pod) > requestOf(pod, resource) ? 1 : 0));
}

/** The pod that exceeds its request by the most is first. */
function byExcess(statsOf: StatsOf, usage: Usage, resource?: string): Compare {
  return (a, b) => compareKnown(statsOf, [a, b], (stats, pod) => usage(stats, pod) - requestOf(pod, resource));
}

function byPriority(a: BoundPod, b: BoundPod): number {
  return (a.spec.priority ?? 0) - (b.spec.priority ?? 0);
}

/** More usage is first; a pod without known usage is evicted before all other pods. */
function compareKnown(statsOf: StatsOf, [a, b]: [BoundPod, BoundPod], measure: Usage): number {
  const [statsA, statsB] = [statsOf(a), statsOf(b)];
  if (!statsA || !statsB) return Number(Boolean(statsA)) - Number(Boolean(statsB));
  return measure(statsB, b) - measure(statsA, a);
}

function requestOf(pod: BoundPod, resource: string | undefined): number {
  return resource === undefined ? 0 : (podRequests(pod)[resource] ?? 0);
}

interface MeasuredParts {
  layers: boolean;
  logs: boolean;
  volumes: boolean;
}

function measuredParts(signal: EvictionSignal, dedicatedImageFs: boolean): MeasuredParts {
  if (!dedicatedImageFs) return { layers: true, logs: true, volumes: true };
  const onImages = signal === "imagefs.available" || signal === "imagefs.inodesFree";
  return { layers: onImages, logs: !onImages, volumes: !onImages };
}

function diskUsage(
  stats: PodStats,
  pod: BoundPod,
  { layers, logs, volumes }: MeasuredParts,
): Record<"ephemeral-storage" | "inodes", number> {
  const parts: (FsStats | undefined)[] = stats.containers.flatMap((container: ContainerStats) => [
    layers ? container.rootfs : undefined,
    logs ? container.logs : undefined,
  ]);
  const local = new Set((pod.spec.volumes ?? []).filter(isLocal).map(({ name }) => name));
  if (volumes) parts.push(...(stats.volume ?? []).filter(({ name }) => local.has(name)));
  return {
    "ephemeral-storage": parts.reduce((sum, part) => sum + (part?.usedBytes ?? 0), 0),
    inodes: parts.reduce((sum, part) => sum + (part?.inodesUsed ?? 0), 0),
  };
}

/** localVolumeNames: volumes that are on the node's own disk. */
function isLocal({ hostPath, emptyDir, configMap }: Volume): boolean {
  return Boolean(hostPath ?? configMap) || (emptyDir !== undefined && (emptyDir.medium ?? "") === "");
}

/** Upstream's IsCriticalPod: never evicted, because the node or the cluster needs it. */
export function isCritical(pod: BoundPod): boolean {
  return isStaticPod(pod) || (pod.spec.priority ?? 0) >= systemCriticalPriority;
}
