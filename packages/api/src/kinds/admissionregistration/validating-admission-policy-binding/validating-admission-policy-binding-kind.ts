import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import type { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import { setMatchDefaults } from "../policies/policy-defaults.ts";
import { paramRefText } from "../policies/policy-table.ts";
import { validateBindingSpec } from "../policies/policy-validation.ts";
import { validatingAdmissionPolicyBindings } from "./validating-admission-policy-binding-type.ts";
import { ValidatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

export const validatingAdmissionPolicyBindingKind = defineKind<ValidatingAdmissionPolicyBinding>({
  type: validatingAdmissionPolicyBindings,
  schema: ValidatingAdmissionPolicyBinding,
  defaults: ({ spec }) => setMatchDefaults(spec.matchResources),
  validation: { validate },
  strategy: { generation: true },
  table: {
    columns: [
      nameColumn,
      column("PolicyName", "Name of the applied policy."),
      column("ParamRef", "Name of the object with the policy's parameters."),
      ageColumn,
    ],
    cells: (binding, nowMs) => [
      binding.metadata.name ?? "",
      binding.spec.policyName,
      paramRefText(binding.spec.paramRef),
      formatAge(binding, nowMs),
    ],
  },
});

const actions = ["Audit", "Deny", "Warn"];

function validate({ spec }: ValidatingAdmissionPolicyBinding, faults: Faults): void {
  validateBindingSpec(spec, faults);
  const path = "spec.validationActions";
  const seen = new Set<string>();
  for (const [index, action] of spec.validationActions.entries()) {
    if (!actions.includes(action)) faults.notSupported(`${path}[${index}]`, action, actions);
    if (seen.has(action)) faults.duplicate(`${path}[${index}]`, action);
    seen.add(action);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    const why =
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
    faults.invalid(path, spec.validationActions, why);
  }
  if (seen.size === 0) faults.required(path, "at least one validation action is required");
}
