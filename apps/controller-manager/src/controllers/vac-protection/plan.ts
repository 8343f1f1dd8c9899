import type { VolumeAttributesClass } from "@kintsugi/api";

const finalizer = "kubernetes.io/vac-protection";

/** Returns the finalizers that the class must have; undefined when it has them. */
export function planClassFinalizers({ metadata }: VolumeAttributesClass, isUsed: boolean): string[] | undefined {
  const finalizers = metadata.finalizers ?? [];
  const isProtected = finalizers.includes(finalizer);
  if (metadata.deletionTimestamp === undefined) return isProtected ? undefined : [...finalizers, finalizer];
  if (!isProtected || isUsed) return undefined;
  return finalizers.filter((each) => each !== finalizer);
}
