import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text } from "../../../schema/types.ts";
import { type PolicyParts, policyPartsV1, policyPartsV1alpha1, policyPartsV1beta1 } from "../policies/policy-parts.ts";

function policyOf({ named, MatchResources, ParamKind, Variable, MatchCondition }: PolicyParts) {
  const ApplyConfiguration = object(
    named("ApplyConfiguration"),
    "The configuration is merged into the object.",
    () => ({
      expression: field(1, text, "The CEL expression makes an Object{…} of the fields to set."),
    }),
  );
  const JSONPatch = object(named("JSONPatch"), "The operations change the object.", () => ({
    expression: field(1, text, "The CEL expression makes a list of JSONPatch{…}."),
  }));
  const Mutation = object(named("Mutation"), "The mutation changes the object.", () => ({
    patchType: required(2, oneOf("ApplyConfiguration", "JSONPatch"), "The type is ApplyConfiguration or JSONPatch."),
    applyConfiguration: field(3, ApplyConfiguration, "The configuration of the type ApplyConfiguration."),
    jsonPatch: field(4, JSONPatch, "The operations of the type JSONPatch."),
  }));
  const Spec = object(
    named("MutatingAdmissionPolicySpec"),
    "The mutations of a policy, and the requests that they are for.",
    () => ({
      paramKind: field(1, ParamKind, "Objects of this kind hold the parameters; a policy without it has none."),
      matchConstraints: field(2, MatchResources, "The policy is about requests that match this."),
      variables: field(3, atomicList(Variable), "Expressions use these by variables.NAME."),
      mutations: field(4, atomicList(Mutation), "Each changes the object that the one before left."),
      failurePolicy: field(
        5,
        oneOf("Fail", "Ignore"),
        "A request fails when the policy cannot be evaluated and this is Fail, the default; Ignore lets it pass.",
      ),
      matchConditions: field(
        6,
        keyedList(MatchCondition, ["name"]),
        "The policy is about requests that fulfil all of these conditions, 64 at most.",
      ),
      reinvocationPolicy: field(
        7,
        oneOf("Never", "IfNeeded"),
        "The policy is applied again when a later step changed the object and this is IfNeeded; the other is Never.",
      ),
    }),
  );
  return kind(
    named("MutatingAdmissionPolicy"),
    "A MutatingAdmissionPolicy changes the objects of requests by expressions, where a binding applies it.",
    () => ({
      metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
      spec: field(2, Spec, "The mutations of the policy."),
    }),
  );
}

export const MutatingAdmissionPolicy = policyOf(policyPartsV1);
export type MutatingAdmissionPolicy = z.infer<typeof MutatingAdmissionPolicy>;
export const MutatingAdmissionPolicyV1beta1 = policyOf(policyPartsV1beta1);
export const MutatingAdmissionPolicyV1alpha1 = policyOf(policyPartsV1alpha1);
