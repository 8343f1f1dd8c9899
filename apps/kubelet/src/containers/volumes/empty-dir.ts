import { memoryBytes, podLimits, type Volume } from "@kintsugi/api";
import { type BoundPod, containersOf } from "../../model/bound-pod.ts";

type EmptyDir = NonNullable<Volume["emptyDir"]>;

/**
 * Returns the size limit of a volume in memory: the memory limit of the pod (the node's, if some
 * container has none), or the volume's own limit if that is less (empty_dir.go
 * calculateEmptyDirMemorySize).
 */
export function memorySizeBytes(pod: BoundPod, emptyDir: EmptyDir, allocatableBytes: number): number {
  const sizes = [allocatableBytes, podMemoryLimitBytes(pod), memoryBytes(emptyDir.sizeLimit)];
  return Math.min(...sizes.filter((bytes) => bytes > 0));
}

/** 0 when the pod as a whole has no limit. */
function podMemoryLimitBytes(pod: BoundPod): number {
  const limitedThroughout =
    pod.spec.resources?.limits?.["memory"] !== undefined ||
    containersOf(pod).every(({ resources }) => memoryBytes(resources?.limits?.["memory"]) > 0);
  return limitedThroughout ? (podLimits(pod)["memory"] ?? 0) : 0;
}
