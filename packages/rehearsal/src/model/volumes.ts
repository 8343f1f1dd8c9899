import type { PersistentVolume } from "@kintsugi/api";

/** Marks a volume of a start state whose driver does not attach it to a node. */
export const neverAttachedAnnotation = "rehearsal.kintsugi.dev/never-attached";

/** Sources that a kubelet mounts by itself; all other sources are first attached to a node. */
const mountedSources = ["nfs", "hostPath", "local", "cephfs", "glusterfs", "azureFile", "quobyte", "flocker"];

/** Reports whether a volume of a user's cluster is mounted without being attached. */
export function isMounted({ spec }: PersistentVolume): boolean {
  return mountedSources.some((source) => (spec as Record<string, unknown> | undefined)?.[source] !== undefined);
}

/** Reports the same about a volume of a start state, which has lost its driver. */
export function isNeverAttached({ metadata }: PersistentVolume): boolean {
  return metadata.annotations?.[neverAttachedAnnotation] === "true";
}
