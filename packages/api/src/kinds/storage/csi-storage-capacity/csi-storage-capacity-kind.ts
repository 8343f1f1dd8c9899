import { column, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { checkSubdomain1123 } from "../../../values/names.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import type { Faults } from "../../../validation/faults.ts";
import { validateLabelSelector } from "../../../validation/labels.ts";
import { defineKind } from "../../define-kind.ts";
import { csiStorageCapacities } from "./csi-storage-capacity-type.ts";
import { CSIStorageCapacity } from "./csi-storage-capacity.ts";

export const csiStorageCapacityKind = defineKind<CSIStorageCapacity>({
  type: csiStorageCapacities,
  schema: CSIStorageCapacity,
  validation: { validate: validateCapacity, update: validateUpdate },
  table: {
    columns: [
      nameColumn,
      column("StorageClassName", "StorageClass of the volumes."),
      column("Capacity", "Amount of available storage."),
    ],
    cells: ({ metadata, storageClassName, capacity }) => [metadata.name ?? "", storageClassName, capacity ?? "<unset>"],
  },
});

function validateCapacity(object: CSIStorageCapacity, faults: Faults): void {
  const { nodeTopology, storageClassName, capacity } = object;
  validateLabelSelector(nodeTopology, "nodeTopology", faults);
  faults.invalidEach("storageClassName", storageClassName, checkSubdomain1123(storageClassName));
  if (capacity !== undefined && parseQuantity(capacity).nanos < 0n) {
    faults.invalid("capacity", capacity, "must be greater than or equal to 0");
  }
}

function validateUpdate(after: CSIStorageCapacity, before: CSIStorageCapacity, faults: Faults): void {
  const { nodeTopology, storageClassName } = after;
  faults.immutable("nodeTopology", nodeTopology, sameJson(nodeTopology, before.nodeTopology));
  faults.immutable("storageClassName", storageClassName, storageClassName === before.storageClassName);
}
