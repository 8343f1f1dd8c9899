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
      column("Provisioner", "The provisioner that makes the volumes of the class."),
      column("ReclaimPolicy", "Provisioned volumes are deleted or retained when their claims are gone."),
      column("VolumeBindingMode", "Claims are bound at once or when a pod uses them."),
      column("AllowVolumeExpansion", "Claims of the class may be expanded."),
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
