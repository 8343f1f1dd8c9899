import { formatAge } from "../../../table/cells.ts";
import { ageColumn, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { isExtendedResource } from "../../../values/resource-names.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { validateConfiguration, validateSelectors } from "../devices/claim-spec-validation.ts";
import { validateEach } from "../devices/resource-names.ts";
import { inV1beta2 } from "../devices/resource-versions.ts";
import { checkSelectors, selectorExpressions } from "../devices/selector-expressions.ts";
import { deviceClasses } from "./device-class-type.ts";
import { DeviceClass, DeviceClassV1beta2 } from "./device-class.ts";

const configurationsMax = 32;

const common: Omit<KindDefinition<DeviceClass>, "type" | "schema" | "view"> = {
  validation: { validate },
  strategy: {
    generation: true,
    hasExpressions: true,
    validateNew: ({ spec }, context) => checkSelectors(selectorExpressions(spec.selectors, "spec.selectors"), context),
    validateChanged: ({ spec }, { spec: before }, context) =>
      sameJson(spec.selectors ?? [], before.selectors ?? [])
        ? []
        : checkSelectors(selectorExpressions(spec.selectors, "spec.selectors"), context),
  },
  table: {
    columns: [nameColumn, ageColumn],
    cells: (deviceClass, nowMs) => [deviceClass.metadata.name ?? "", formatAge(deviceClass, nowMs)],
  },
};

export const deviceClassKind = defineKind<DeviceClass>({ ...common, type: deviceClasses, schema: DeviceClass });

/** The same objects for clients of 1.33 to 1.35. */
export const deviceClassV1beta2Kind = defineKind<DeviceClass>({
  ...common,
  ...inV1beta2(deviceClasses),
  schema: DeviceClassV1beta2,
});

function validate({ spec }: DeviceClass, faults: Faults): void {
  validateSelectors(spec.selectors, "spec.selectors", faults);
  validateEach({ items: spec.config, path: "spec.config", max: configurationsMax }, faults, ({ opaque }, path) =>
    validateConfiguration(opaque, path, faults),
  );
  const { extendedResourceName: name } = spec;
  if (name !== undefined && !isExtendedResource(name)) {
    faults.invalid("spec.extendedResourceName", name, "must be a valid extended resource name");
  }
}
