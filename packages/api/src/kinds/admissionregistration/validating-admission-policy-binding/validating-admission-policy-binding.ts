import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { oneOf, setList, text } from "../../../schema/types.ts";
import { policyPartsV1 } from "../policies/policy-parts.ts";

const { named, MatchResources, ParamRef } = policyPartsV1;

const ValidatingAdmissionPolicyBindingSpec = object(
  named("ValidatingAdmissionPolicyBindingSpec"),
  "The policy that is applied, with its parameters and the requests that it is about.",
  () => ({
    policyName: required(1, text, "Name of the policy."),
    paramRef: field(2, ParamRef, "The reference names the policy's parameters."),
    matchResources: field(3, MatchResources, "The policy is applied to requests that match this too."),
    validationActions: required(
      4,
      setList(oneOf("Deny", "Warn", "Audit")),
      "A validation that fails has these effects: Deny, Warn, Audit.",
    ),
  }),
);

export const ValidatingAdmissionPolicyBinding = kind(
  named("ValidatingAdmissionPolicyBinding"),
  "A ValidatingAdmissionPolicyBinding applies a ValidatingAdmissionPolicy.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: required(2, ValidatingAdmissionPolicyBindingSpec, "The policy that is applied."),
  }),
);
export type ValidatingAdmissionPolicyBinding = z.infer<typeof ValidatingAdmissionPolicyBinding>;
