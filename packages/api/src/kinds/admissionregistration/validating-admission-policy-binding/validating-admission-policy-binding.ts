import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { oneOf, setList, text } from "../../../schema/types.ts";
import { policyPartsV1 } from "../policies/policy-parts.ts";

const { named, MatchResources, ParamRef } = policyPartsV1;

const ValidatingAdmissionPolicyBindingSpec = object(
  named("ValidatingAdmissionPolicyBindingSpec"),
  "Policy that the binding applies, the policy's parameters and the matching requests.",
  () => ({
    policyName: required(1, text, "Name of the policy."),
    paramRef: field(2, ParamRef, "Reference to the policy's parameters."),
    matchResources: field(
      3,
      MatchResources,
      "Additional constraints on requests. The policy applies to requests that meet both the policy's matchConstraints and these constraints.",
    ),
    validationActions: required(
      4,
      setList(oneOf("Deny", "Warn", "Audit")),
      "Actions on a failed validation: Deny, Warn or Audit.",
    ),
  }),
);

export const ValidatingAdmissionPolicyBinding = kind(
  named("ValidatingAdmissionPolicyBinding"),
  "A ValidatingAdmissionPolicyBinding puts a ValidatingAdmissionPolicy into effect with the given parameters.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, ValidatingAdmissionPolicyBindingSpec, "Policy, parameters and matching requests of the binding."),
  }),
);
export type ValidatingAdmissionPolicyBinding = z.infer<typeof ValidatingAdmissionPolicyBinding>;
