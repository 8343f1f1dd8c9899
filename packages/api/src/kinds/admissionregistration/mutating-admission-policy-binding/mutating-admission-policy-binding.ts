import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";
import { type PolicyParts, policyPartsV1, policyPartsV1alpha1, policyPartsV1beta1 } from "../policies/policy-parts.ts";

function bindingOf({ named, MatchResources, ParamRef }: PolicyParts) {
  const Spec = object(
    named("MutatingAdmissionPolicyBindingSpec"),
    "Policy that the binding applies, the policy's parameters and the matching requests.",
    () => ({
      policyName: field(1, text, "Name of the policy."),
      paramRef: field(2, ParamRef, "Reference to the policy's parameters."),
      matchResources: field(
        3,
        MatchResources,
        "Additional constraints on requests. The policy applies to requests that meet both the policy's matchConstraints and these constraints.",
      ),
    }),
  );
  return kind(
    named("MutatingAdmissionPolicyBinding"),
    "A MutatingAdmissionPolicyBinding puts a MutatingAdmissionPolicy into effect with the given parameters.",
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
