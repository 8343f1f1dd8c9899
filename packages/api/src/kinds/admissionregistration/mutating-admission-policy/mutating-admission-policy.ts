import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, keyedList, oneOf, text } from "../../../schema/types.ts";
import { type PolicyParts, policyPartsV1, policyPartsV1alpha1, policyPartsV1beta1 } from "../policies/policy-parts.ts";

function policyOf({ named, MatchResources, ParamKind, Variable, MatchCondition }: PolicyParts) {
  const ApplyConfiguration = object(
    named("ApplyConfiguration"),
    "ApplyConfiguration is a configuration that is merged into the object.",
    () => ({
      expression: field(1, text, "CEL expression that returns an Object{…} with the fields to set."),
    }),
  );
  const JSONPatch = object(
    named("JSONPatch"),
    "JSONPatch is a CEL expression that returns patch operations for the object.",
    () => ({
      expression: field(1, text, "CEL expression that returns a list of JSONPatch{…} operations."),
    }),
  );
  const Mutation = object(named("Mutation"), "Mutation is one change to the object of a request.", () => ({
    patchType: required(
      2,
      oneOf("ApplyConfiguration", "JSONPatch"),
      "Type of the mutation: ApplyConfiguration or JSONPatch.",
    ),
    applyConfiguration: field(
      3,
      ApplyConfiguration,
      "Configuration to merge. Required for the type ApplyConfiguration.",
    ),
    jsonPatch: field(4, JSONPatch, "Patch operations. Required for the type JSONPatch."),
  }));
  const Spec = object(named("MutatingAdmissionPolicySpec"), "Mutations of a policy and the matching requests.", () => ({
    paramKind: field(
      1,
      ParamKind,
      "Kind of the objects that contain the parameters. If unset, the policy has no parameters.",
    ),
    matchConstraints: field(2, MatchResources, "Requests that the policy applies to."),
    variables: field(3, atomicList(Variable), "Variables for the policy's expressions, available as variables.NAME."),
    mutations: field(
      4,
      atomicList(Mutation),
      "Mutations in order. Each mutation is applied to the result of the previous mutation.",
    ),
    failurePolicy: field(
      5,
      oneOf("Fail", "Ignore"),
      "Handling of errors in the policy, such as errors in its expressions: Fail rejects the request, Ignore ignores the error. Defaults to Fail.",
    ),
    matchConditions: field(
      6,
      keyedList(MatchCondition, ["name"]),
      "Conditions that a request must meet for the policy to apply, at most 64.",
    ),
    reinvocationPolicy: field(
      7,
      oneOf("Never", "IfNeeded"),
      "Reinvocation of the policy: IfNeeded applies the policy again if a later admission step has changed the object, Never applies the policy only once.",
    ),
  }));
  return kind(
    named("MutatingAdmissionPolicy"),
    "A MutatingAdmissionPolicy changes the objects of requests with CEL expressions. The policy takes effect through a MutatingAdmissionPolicyBinding.",
    () => ({
      metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
      spec: field(2, Spec, "Mutations and matching requests of the policy."),
    }),
  );
}

export const MutatingAdmissionPolicy = policyOf(policyPartsV1);
export type MutatingAdmissionPolicy = z.infer<typeof MutatingAdmissionPolicy>;
export const MutatingAdmissionPolicyV1beta1 = policyOf(policyPartsV1beta1);
export const MutatingAdmissionPolicyV1alpha1 = policyOf(policyPartsV1alpha1);
