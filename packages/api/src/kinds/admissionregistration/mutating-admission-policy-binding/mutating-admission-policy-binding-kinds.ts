import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, nameColumn } from "../../../table/columns.ts";
import { defineKind, type KindDefinition } from "../../define-kind.ts";
import { setMatchDefaults } from "../policies/policy-defaults.ts";
import { paramRefText } from "../policies/policy-table.ts";
import { validateBindingSpec } from "../policies/policy-validation.ts";
import { sameInVersion } from "../../same-in-version.ts";
import {
  mutatingAdmissionPolicyBindings,
  mutatingAdmissionPolicyBindingsV1alpha1,
  mutatingAdmissionPolicyBindingsV1beta1,
} from "./mutating-admission-policy-binding-type.ts";
import {
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicyBindingV1alpha1,
  MutatingAdmissionPolicyBindingV1beta1,
} from "./mutating-admission-policy-binding.ts";

const common: Omit<KindDefinition<MutatingAdmissionPolicyBinding>, "type" | "schema" | "view"> = {
  defaults: ({ spec }) => setMatchDefaults(spec?.matchResources),
  validation: { validate: ({ spec = {} }, faults) => validateBindingSpec(spec, faults) },
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
      binding.spec?.policyName ?? "",
      paramRefText(binding.spec?.paramRef),
      formatAge(binding, nowMs),
    ],
  },
};

export const mutatingAdmissionPolicyBindingKind = defineKind<MutatingAdmissionPolicyBinding>({
  ...common,
  type: mutatingAdmissionPolicyBindings,
  schema: MutatingAdmissionPolicyBinding,
});

/** The same objects for clients of 1.34 and 1.35. */
export const mutatingAdmissionPolicyBindingV1beta1Kind = defineKind<MutatingAdmissionPolicyBinding>({
  ...common,
  type: mutatingAdmissionPolicyBindingsV1beta1,
  schema: MutatingAdmissionPolicyBindingV1beta1,
  view: sameInVersion(mutatingAdmissionPolicyBindingsV1beta1, mutatingAdmissionPolicyBindings),
});

/** The same objects for clients of 1.32 and 1.33. */
export const mutatingAdmissionPolicyBindingV1alpha1Kind = defineKind<MutatingAdmissionPolicyBinding>({
  ...common,
  type: mutatingAdmissionPolicyBindingsV1alpha1,
  schema: MutatingAdmissionPolicyBindingV1alpha1,
  view: sameInVersion(mutatingAdmissionPolicyBindingsV1alpha1, mutatingAdmissionPolicyBindings),
});
