import { addQuantities, canonicalQuantity, compareQuantities, memoryBytes, oncePer, podLimits } from "@kintsugi/api";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";
import type { FsStats, PodStats } from "../stats/stats-api.ts";

export interface StorageVerdict {
  /** The signal, as counted by kubelet_evictions. */
  signal: "emptydirfs.limit" | "ephemeralpodfs.limit" | "ephemeralcontainerfs.limit";
  message: string;
}

const resource = "ephemeral-storage";

/**
 * Reports whether a pod has any limit on its use of the node's disk, because a pod without a limit
 * is not measured. Called for every pod every ten seconds; a changed pod is a new object.
 */
export const limitsStorage: (pod: BoundPod) => boolean = oncePer(hasLimit);

function hasLimit(pod: BoundPod): boolean {
  return (
    (pod.spec.volumes ?? []).some(({ emptyDir }) => emptyDir?.sizeLimit !== undefined) ||
    containersOf(pod).some(({ resources }) => resources?.limits?.[resource])
  );
}

/**
 * Returns the limit on local storage that a pod exceeds, in upstream's order and words
 * (localStorageEviction).
 */
export function judgeLocalStorage(
  pod: BoundPod,
  stats: PodStats,
  options: { dedicatedImageFs: boolean },
): StorageVerdict | undefined {
  return judgeEmptyDirs(pod, stats) ?? judgePod(pod, stats) ?? judgeContainers(pod, stats, options);
}

function judgeEmptyDirs({ spec }: BoundPod, stats: PodStats): StorageVerdict | undefined {
  for (const { name, emptyDir } of spec.volumes ?? []) {
    const limit = emptyDir?.sizeLimit;
    if (limit === undefined || compareQuantities(limit, "0") <= 0) continue;
    const used = stats.volume?.find((volume) => volume.name === name)?.usedBytes ?? 0;
    if (used <= memoryBytes(limit)) continue;
    const message = `Usage of EmptyDir volume "${name}" exceeds the limit "${canonicalQuantity(limit)}". `;
    return { signal: "emptydirfs.limit", message };
  }
  return undefined;
}

function judgePod(pod: BoundPod, stats: PodStats): StorageVerdict | undefined {
  const limit = podLimits(pod)[resource];
  const used = stats[resource]?.usedBytes ?? 0;
  if (limit === undefined || used <= limit) return undefined;
  const sum = pod.spec.containers
    .map(({ resources }) => resources?.limits?.[resource] ?? "0")
    .reduce((total, each) => addQuantities(total, each), "0");
  const message = `Pod ephemeral local storage usage exceeds the total limit of containers ${sum}. `;
  return { signal: "ephemeralpodfs.limit", message };
}

function judgeContainers(
  { spec }: BoundPod,
  stats: PodStats,
  { dedicatedImageFs }: { dedicatedImageFs: boolean },
): StorageVerdict | undefined {
  const bytes = (part: FsStats | undefined) => part?.usedBytes ?? 0;
  for (const container of stats.containers) {
    const limit = spec.containers.find(({ name }) => name === container.name)?.resources?.limits?.[resource];
    if (limit === undefined || compareQuantities(limit, "0") === 0) continue;
    // Layers on a separate file system do not use the node's file system.
    const used = bytes(container.logs) + (dedicatedImageFs ? 0 : bytes(container.rootfs));
    if (used <= memoryBytes(limit)) continue;
    const message = `Container ${container.name} exceeded its local ephemeral storage limit "${canonicalQuantity(limit)}". `;
    return { signal: "ephemeralcontainerfs.limit", message };
  }
  return undefined;
}
