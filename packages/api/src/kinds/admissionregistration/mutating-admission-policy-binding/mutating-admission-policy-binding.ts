import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object } from "../../../schema/fields.ts";
import { text } from "../../../schema/types.ts";
import { type PolicyParts, policyPartsV1, policyPartsV1alpha1, policyPartsV1beta1 } from "../policies/policy-parts.ts";

function bindingOf({ named, MatchResources, ParamRef }: PolicyParts) {
  const Spec = object(
    named("MutatingAdmissionPolicyBindingSpec"),
    "The policy that is applied, with its parameters and the requests that it is for.",
    () => ({
      policyName: field(1, text, "Name of the policy."),
      paramRef: field(2, ParamRef, "The reference names the policy's parameters."),
      matchResources: field(3, MatchResources, "The policy is applied to requests that match this too."),
    }),
  );
  return kind(
    named("MutatingAdmissionPolicyBinding"),
    "A MutatingAdmissionPolicyBinding applies a MutatingAdmissionPolicy.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
      spec: field(2, Spec, "The policy that is applied."),
    }),
  );
}

export const MutatingAdmissionPolicyBinding = bindingOf(policyPartsV1);
export type MutatingAdmissionPolicyBinding = z.infer<typeof MutatingAdmissionPolicyBinding>;
export const MutatingAdmissionPolicyBindingV1beta1 = bindingOf(policyPartsV1beta1);
export const MutatingAdmissionPolicyBindingV1alpha1 = bindingOf(policyPartsV1alpha1);
