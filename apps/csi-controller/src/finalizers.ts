import type { ApiObject } from "@kintsugi/api";

/** The driver's disk has to be deleted before its PersistentVolume is removed. */
export const provisionerFinalizer = "external-provisioner.volume.kubernetes.io/finalizer";

/**
 * The volume has to be detached before the object is removed. `/` is replaced by `-`, because a
 * finalizer contains one `/`; upstream's `GetFinalizerName` replaces dots too.
 */
export function attacherFinalizer(driverName: string): string {
  return `external-attacher/${driverName.replaceAll("/", "-")}`;
}

/** Returns the object with the finalizer; undefined when the object already has the finalizer. */
export function withFinalizer<T extends ApiObject>(object: T, finalizer: string): T | undefined {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(finalizer)) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}

/** Returns the object without the finalizers; undefined when the object has none of them. */
export function withoutFinalizers<T extends ApiObject>(object: T, ...gone: readonly string[]): T | undefined {
  const finalizers = object.metadata.finalizers ?? [];
  const rest = finalizers.filter((each) => !gone.includes(each));
  if (rest.length === finalizers.length) return undefined;
  return { ...object, metadata: { ...object.metadata, finalizers: rest } };
}
