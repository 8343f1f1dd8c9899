import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { oneOf, setList, text } from "../../../schema/types.ts";
import { policyPartsV1 } from "../policies/policy-parts.ts";

const { named, MatchResources, ParamRef } = policyPartsV1;

const ValidatingAdmissionPolicyBindingSpec = object(
  named("ValidatingAdmissionPolicyBindingSpec"),
  "Policy that is applied, its parameters and the requests that it applies to.",
  () => ({
    policyName: required(1, text, "Name of the policy."),
    paramRef: field(2, ParamRef, "Reference to the policy's parameters."),
    matchResources: field(
      3,
      MatchResources,
      "Additional conditions for requests. The policy applies to requests that match both its own constraints and these conditions.",
    ),
    validationActions: required(
      4,
      setList(oneOf("Deny", "Warn", "Audit")),
      "Effects of a failed validation: Deny, Warn or Audit.",
    ),
  }),
);

export const ValidatingAdmissionPolicyBinding = kind(
  named("ValidatingAdmissionPolicyBinding"),
  "A ValidatingAdmissionPolicyBinding applies a ValidatingAdmissionPolicy.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: required(2, ValidatingAdmissionPolicyBindingSpec, "Policy, parameters and matching requests of the binding."),
  }),
);
export type ValidatingAdmissionPolicyBinding = z.infer<typeof ValidatingAdmissionPolicyBinding>;
