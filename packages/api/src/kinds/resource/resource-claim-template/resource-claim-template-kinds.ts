import { formatAge } from "../../../table/cells.ts";
import { ageColumn, nameColumn } from "../../../table/columns.ts";
import { sameJson } from "../../../values/json.ts";
import { validateTemplateMetadata } from "../../../validation/template-metadata.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { setClaimDefaults } from "../devices/claim-defaults.ts";
import { validateClaimSpec } from "../devices/claim-spec-validation.ts";
import { inV1beta2 } from "../devices/resource-versions.ts";
import { checkSelectors, claimExpressions } from "../devices/selector-expressions.ts";
import { resourceClaimTemplates } from "./resource-claim-template-type.ts";
import { ResourceClaimTemplate, ResourceClaimTemplateV1beta2 } from "./resource-claim-template.ts";

const common: Omit<KindDefinition<ResourceClaimTemplate>, "type" | "schema" | "view"> = {
  defaults: ({ spec }) => setClaimDefaults(spec.spec),
  validation: {
    validate: ({ spec }, faults) => {
      validateTemplateMetadata(spec.metadata, "spec.metadata", faults);
      validateClaimSpec(spec.spec, "spec.spec", faults);
    },
    update: (after, before, faults) => faults.immutable("spec", after.spec, sameJson(after.spec, before.spec)),
  },
  strategy: {
    hasExpressions: true,
    validateNew: ({ spec }, context) => checkSelectors(claimExpressions(spec.spec, "spec.spec"), context),
  },
  table: {
    columns: [nameColumn, ageColumn],
    cells: (template, nowMs) => [template.metadata.name ?? "", formatAge(template, nowMs)],
  },
};

export const resourceClaimTemplateKind = defineKind<ResourceClaimTemplate>({
  ...common,
  type: resourceClaimTemplates,
  schema: ResourceClaimTemplate,
});

/** The same objects for clients of 1.33 to 1.35. */
export const resourceClaimTemplateV1beta2Kind = defineKind<ResourceClaimTemplate>({
  ...common,
  ...inV1beta2(resourceClaimTemplates),
  schema: ResourceClaimTemplateV1beta2,
});
