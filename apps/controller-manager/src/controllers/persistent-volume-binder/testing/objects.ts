import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kintsugi/api";

interface Metadata {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  deletionTimestamp?: string;
}

/** A claim of one gibibyte, which is pending. */
export function aClaim(
  name: string,
  spec: NonNullable<PersistentVolumeClaim["spec"]> = {},
  { status = { phase: "Pending" }, ...metadata }: Metadata & { status?: PersistentVolumeClaim["status"] } = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    status,
  };
}

/** A volume of one gibibyte on every node, which is available. */
export function aVolume(
  name: string,
  spec: NonNullable<PersistentVolume["spec"]> = {},
  { phase = "Available", ...metadata }: Metadata & { phase?: string } = {},
): PersistentVolume {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, uid: `uid-of-${name}`, ...metadata },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" }, ...spec },
    status: { phase },
  };
}

export function aStorageClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name, uid: `uid-of-${name}` },
    provisioner: "disk.example.com",
    ...more,
  };
}

/** The reference of a volume to the claim. */
export function refTo({ metadata }: PersistentVolumeClaim, uid = metadata.uid) {
  return { kind: "PersistentVolumeClaim", namespace: metadata.namespace, name: metadata.name, uid };
}
