import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind } from "../../define-kind.ts";
import { storageClasses } from "./storage-class-type.ts";
import { validateStorageClass, validateStorageClassUpdate } from "./storage-class-validation.ts";
import { isDefaultClass, StorageClass } from "./storage-class.ts";

export const storageClassKind = defineKind<StorageClass>({
  type: storageClasses,
  schema: StorageClass,
  defaults: (storageClass) => {
    storageClass.reclaimPolicy ??= "Delete";
    storageClass.volumeBindingMode ??= "Immediate";
  },
  validation: { validate: validateStorageClass, update: validateStorageClassUpdate },
  strategy: { returnsDeleted: true },
  indexed: { isDefault: (storageClass) => (isDefaultClass(storageClass) ? "true" : undefined) },
  table: {
    columns: [
      nameColumn,
      column("Provisioner", "Provisioner of the class's volumes."),
      column("ReclaimPolicy", "Handling of a provisioned volume after its claim is deleted: Delete or Retain."),
      column("VolumeBindingMode", "Time at which claims are bound: Immediate or WaitForFirstConsumer."),
      column("AllowVolumeExpansion", "True if claims of the class may be expanded."),
      ageColumn,
    ],
    cells: (storageClass, nowMs) => [
      `${storageClass.metadata.name ?? ""}${isDefaultClass(storageClass) ? " (default)" : ""}`,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? "Delete",
      storageClass.volumeBindingMode ?? "<unset>",
      storageClass.allowVolumeExpansion ?? false,
      formatAge(storageClass, nowMs),
    ],
  },
});
