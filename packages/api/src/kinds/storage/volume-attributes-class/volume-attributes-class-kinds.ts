import { apiVersionOf } from "../../../meta/resource-type.ts";
import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { KindTable } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import type { Faults } from "../../../validation/faults.ts";
import type { KindValidation } from "../../../validation/kind-validation.ts";
import { defineKind } from "../../define-kind.ts";
import { validateParameters, validateProvisioner } from "../parameters.ts";
import { volumeAttributesClasses, volumeAttributesClassesV1beta1 } from "./volume-attributes-class-type.ts";
import { VolumeAttributesClass, VolumeAttributesClassV1beta1 } from "./volume-attributes-class.ts";

const table: KindTable<VolumeAttributesClass> = {
  columns: [nameColumn, column("DriverName", "Name of the CSI driver that interprets the parameters."), ageColumn],
  cells: (attributesClass, nowMs) => [
    attributesClass.metadata.name ?? "",
    attributesClass.driverName,
    formatAge(attributesClass, nowMs),
  ],
};

const validation: KindValidation<VolumeAttributesClass> = {
  validate: ({ driverName, parameters = {} }, faults) => {
    validateProvisioner(driverName, "driverName", faults);
    validateParameters(parameters, { allowEmpty: false }, faults);
  },
  update: validateUpdate,
};

export const volumeAttributesClassKind = defineKind<VolumeAttributesClass>({
  type: volumeAttributesClasses,
  schema: VolumeAttributesClass,
  validation,
  strategy: { returnsDeleted: true },
  table,
});

/** The same objects for clients of 1.31 to 1.33. */
export const volumeAttributesClassV1beta1Kind = defineKind<VolumeAttributesClassV1beta1>({
  type: volumeAttributesClassesV1beta1,
  schema: VolumeAttributesClassV1beta1,
  validation,
  strategy: { returnsDeleted: true },
  table,
  view: {
    of: volumeAttributesClasses,
    toStored: (object) => ({ ...object, apiVersion: apiVersionOf(volumeAttributesClasses) }),
    fromStored: (stored) => ({
      ...(stored as VolumeAttributesClass),
      apiVersion: apiVersionOf(volumeAttributesClassesV1beta1),
    }),
  },
});

function validateUpdate(after: VolumeAttributesClass, before: VolumeAttributesClass, faults: Faults): void {
  if (after.driverName !== before.driverName) faults.forbidden("driverName", "updates to driverName are forbidden.");
  if (!sameJson(after.parameters ?? {}, before.parameters ?? {})) {
    faults.forbidden("parameters", "updates to parameters are forbidden.");
  }
}
