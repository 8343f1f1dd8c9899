import type { z } from "zod";
import { Condition } from "../../../meta/condition.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int64, keyedList, keyedListReplaced, oneOf, text } from "../../../schema/types.ts";
import { policyPartsV1 } from "../policies/policy-parts.ts";

const { named, MatchResources, ParamKind, Variable, MatchCondition } = policyPartsV1;

const Validation = object(named("Validation"), "The validation is an expression that a request must fulfil.", () => ({
  expression: required(1, text, "The CEL expression is true for requests that are admitted."),
  message: field(2, text, "The refusal has this message; the default quotes the expression."),
  reason: field(
    3,
    oneOf("Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"),
    "The refusal has this reason; the default is Invalid.",
  ),
  messageExpression: field(4, text, "The CEL expression makes the message, and wins over message."),
}));

const AuditAnnotation = object(named("AuditAnnotation"), "The annotation stands in the audit log.", () => ({
  key: required(1, text, "The annotation is named POLICY/KEY."),
  valueExpression: required(2, text, "The CEL expression makes the text; null leaves the annotation out."),
}));

const ExpressionWarning = object(named("ExpressionWarning"), "The warning is about one expression.", () => ({
  fieldRef: required(2, text, "Path of the expression's field, such as spec.validations[0].expression."),
  warning: required(3, text, "Result of type checking the expression with the types of its rules."),
}));

const TypeChecking = object(named("TypeChecking"), "The results of type checking a policy.", () => ({
  expressionWarnings: field(1, atomicList(ExpressionWarning), "Each warning is about one expression."),
}));

const ValidatingAdmissionPolicySpec = object(
  named("ValidatingAdmissionPolicySpec"),
  "The rules of a policy, and the requests that they are about.",
  () => ({
    paramKind: field(1, ParamKind, "Objects of this kind hold the parameters; a policy without it has none."),
    matchConstraints: field(2, MatchResources, "The policy is about requests that match this."),
    validations: field(3, atomicList(Validation), "A request fulfils all of these."),
    failurePolicy: field(
      4,
      oneOf("Fail", "Ignore"),
      "A request fails when the policy cannot be evaluated and this is Fail, the default; Ignore lets it pass.",
    ),
    auditAnnotations: field(5, atomicList(AuditAnnotation), "The audit log has these annotations, 20 at most."),
    matchConditions: field(
      6,
      keyedList(MatchCondition, ["name"]),
      "The policy is about requests that fulfil all of these conditions, 64 at most.",
    ),
    variables: field(7, keyedList(Variable, ["name"]), "Expressions use these by variables.NAME."),
  }),
);

const ValidatingAdmissionPolicyStatus = object(
  named("ValidatingAdmissionPolicyStatus"),
  "The state of a policy as its controller has observed it.",
  () => ({
    observedGeneration: field(1, int64, "The state belongs to this generation of the policy."),
    typeChecking: field(2, TypeChecking, "The results of type checking."),
    conditions: field(3, keyedListReplaced(Condition, ["type"]), "Conditions describe the policy's current state."),
  }),
);

export const ValidatingAdmissionPolicy = kind(
  named("ValidatingAdmissionPolicy"),
  "A ValidatingAdmissionPolicy accepts or rejects requests by expressions, where a binding applies it.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, labels and owners."),
    spec: field(2, ValidatingAdmissionPolicySpec, "The rules of the policy."),
    status: field(3, ValidatingAdmissionPolicyStatus, "The observed state of the policy."),
  }),
);
export type ValidatingAdmissionPolicy = z.infer<typeof ValidatingAdmissionPolicy>;
