import {
  compareQuantities,
  forbidden,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  type StorageClass,
  storageClasses,
} from "@kintsugi/api";
import { decodeEntry } from "../../resources/encoding.ts";
import { storeKey } from "../../resources/keys.ts";
import type { AdmissionStep } from "../admission.ts";

const [onlyBound, onlyExpandable] = [
  "Only bound persistent volume claims can be expanded",
  "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
] as const;

/**
 * A claim grows only where its class allows it
 * (plugin/pkg/admission/storage/persistentvolume/resize).
 */
export const claimResize: AdmissionStep = {
  name: "PersistentVolumeClaimResize",
  handles: { operations: ["update"], resources: [persistentVolumeClaims], subresources: [""] },
  validate: ({ object, before, name, reader }) => {
    const [after, old] = [object, before] as (PersistentVolumeClaim | undefined)[];
    const [wanted, had] = [sizeOf(after), sizeOf(old)];
    if (wanted === undefined || had === undefined || compareQuantities(wanted, had) <= 0) return undefined;
    if (old?.status?.phase !== "Bound") return forbidden(persistentVolumeClaims, name, onlyBound);
    const className = after?.spec?.storageClassName ?? "";
    const entry = className === "" ? undefined : reader.find(storeKey(storageClasses, "", className));
    const storageClass = entry && (decodeEntry(entry) as unknown as StorageClass);
    if (storageClass?.allowVolumeExpansion === true) return undefined;
    return forbidden(persistentVolumeClaims, name, onlyExpandable);
  },
};

function sizeOf(claim: PersistentVolumeClaim | undefined): string | undefined {
  return claim?.spec?.resources?.requests?.["storage"];
}
