import { persistentVolumeClaims, persistentVolumes } from "@kintsugi/api";
import type { AdmissionStep } from "./admission.ts";

const finalizers: Readonly<Record<string, string>> = {
  [persistentVolumes.resource]: "kubernetes.io/pv-protection",
  [persistentVolumeClaims.resource]: "kubernetes.io/pvc-protection",
};

/**
 * Every volume and claim gets the finalizer with which a controller delays its deletion while it is
 * in use (plugin/pkg/admission/storage/storageobjectinuseprotection).
 */
export const storageInUse: AdmissionStep = {
  name: "StorageObjectInUseProtection",
  handles: { operations: ["create"], resources: [persistentVolumes, persistentVolumeClaims], subresources: [""] },
  mutate: ({ object, resource }) => {
    const finalizer = finalizers[resource.type.resource];
    if (object === undefined || finalizer === undefined) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  },
};
