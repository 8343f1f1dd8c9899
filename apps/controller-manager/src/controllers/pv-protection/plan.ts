import type { PersistentVolume } from "@kintsugi/api";

const volumeFinalizer = "kubernetes.io/pv-protection";

/** Returns the finalizers that the volume must have; undefined when it has them. */
export function planVolumeFinalizers({ metadata, status }: PersistentVolume): string[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  const isProtected = finalizers.includes(volumeFinalizer);
  if (metadata.deletionTimestamp === undefined) return isProtected ? undefined : [...finalizers, volumeFinalizer];
  if (!isProtected || status?.phase === "Bound") return undefined;
  return finalizers.filter((finalizer) => finalizer !== volumeFinalizer);
}
