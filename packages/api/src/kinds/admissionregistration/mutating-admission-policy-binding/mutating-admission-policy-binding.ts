import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";
import { type PolicyParts, policyPartsV1, policyPartsV1alpha1, policyPartsV1beta1 } from "../policies/policy-parts.ts";

function bindingOf({ named, MatchResources, ParamRef }: PolicyParts) {
  const Spec = object(
    named("MutatingAdmissionPolicyBindingSpec"),
    "Policy that is applied, its parameters and the requests that it applies to.",
    () => ({
      policyName: field(1, text, "Name of the policy."),
      paramRef: field(2, ParamRef, "Reference to the policy's parameters."),
      matchResources: field(
        3,
        MatchResources,
        "Additional conditions for requests. The policy applies to requests that match both its own constraints and these conditions.",
      ),
    }),
  );
  return kind(
    named("MutatingAdmissionPolicyBinding"),
    "A MutatingAdmissionPolicyBinding applies a MutatingAdmissionPolicy.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
      spec: field(2, Spec, "Policy, parameters and matching requests of the binding."),
    }),
  );
}

export const MutatingAdmissionPolicyBinding = bindingOf(policyPartsV1);
export type MutatingAdmissionPolicyBinding = z.infer<typeof MutatingAdmissionPolicyBinding>;
export const MutatingAdmissionPolicyBindingV1beta1 = bindingOf(policyPartsV1beta1);
export const MutatingAdmissionPolicyBindingV1alpha1 = bindingOf(policyPartsV1alpha1);
