import type { z } from "zod";
import { Condition } from "../../../meta/condition-type.ts";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int64, keyedList, keyedListReplaced, oneOf, text } from "../../../schema/types.ts";
import { policyPartsV1 } from "../policies/policy-parts.ts";

const { named, MatchResources, ParamKind, Variable, MatchCondition } = policyPartsV1;

const Validation = object(
  named("Validation"),
  "Validation is a condition, written in CEL, that a request must meet.",
  () => ({
    expression: required(1, text, "CEL expression that must return true for the request to be admitted."),
    message: field(2, text, "Message of the rejection. Defaults to a message that quotes the expression."),
    reason: field(
      3,
      oneOf("Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"),
      "Reason for the rejection: Unauthorized, Forbidden, Invalid or RequestEntityTooLarge. Defaults to Invalid.",
    ),
    messageExpression: field(
      4,
      text,
      "CEL expression that returns the message of the rejection. Takes precedence over message.",
    ),
  }),
);

const AuditAnnotation = object(
  named("AuditAnnotation"),
  "AuditAnnotation adds an annotation to the audit event of a request.",
  () => ({
    key: required(1, text, "Key of the annotation. The annotation is named POLICY/KEY."),
    valueExpression: required(
      2,
      text,
      "CEL expression that returns the value of the annotation. If it returns null, the annotation is omitted.",
    ),
  }),
);

const ExpressionWarning = object(
  named("ExpressionWarning"),
  "ExpressionWarning is a warning about one expression.",
  () => ({
    fieldRef: required(2, text, "Path of the expression's field, such as spec.validations[0].expression."),
    warning: required(3, text, "Human-readable result of type checking the expression."),
  }),
);

const TypeChecking = object(
  named("TypeChecking"),
  "TypeChecking is the result of type checking a policy's expressions.",
  () => ({
    expressionWarnings: field(
      1,
      atomicList(ExpressionWarning),
      "Warnings from type checking, each about one expression.",
    ),
  }),
);

const ValidatingAdmissionPolicySpec = object(
  named("ValidatingAdmissionPolicySpec"),
  "Validations of a policy and the matching requests.",
  () => ({
    paramKind: field(
      1,
      ParamKind,
      "Kind of the objects that contain the parameters. If unset, the policy has no parameters.",
    ),
    matchConstraints: field(2, MatchResources, "Requests that the policy applies to."),
    validations: field(3, atomicList(Validation), "Validations that a request must pass."),
    failurePolicy: field(
      4,
      oneOf("Fail", "Ignore"),
      "Handling of errors in the policy, such as errors in its expressions: Fail rejects the request, Ignore ignores the error. Defaults to Fail.",
    ),
    auditAnnotations: field(
      5,
      atomicList(AuditAnnotation),
      "Annotations that are added to the audit event, at most 20.",
    ),
    matchConditions: field(
      6,
      keyedList(MatchCondition, ["name"]),
      "Conditions that a request must meet for the policy to apply, at most 64.",
    ),
    variables: field(
      7,
      keyedList(Variable, ["name"]),
      "Variables for the policy's expressions, available as variables.NAME.",
    ),
  }),
);

const ValidatingAdmissionPolicyStatus = object(
  named("ValidatingAdmissionPolicyStatus"),
  "State of a policy as observed by its controller.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the policy that the status describes."),
    typeChecking: field(2, TypeChecking, "Results of type checking the policy's expressions."),
    conditions: field(3, keyedListReplaced(Condition, ["type"]), "Observed conditions of the policy."),
  }),
);

export const ValidatingAdmissionPolicy = kind(
  named("ValidatingAdmissionPolicy"),
  "A ValidatingAdmissionPolicy accepts or rejects requests according to CEL expressions. The policy takes effect through a ValidatingAdmissionPolicyBinding.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, labels and owners of the object."),
    spec: field(2, ValidatingAdmissionPolicySpec, "Validations and matching requests of the policy."),
    status: field(3, ValidatingAdmissionPolicyStatus, "Observed state of the policy."),
  }),
);
export type ValidatingAdmissionPolicy = z.infer<typeof ValidatingAdmissionPolicy>;
