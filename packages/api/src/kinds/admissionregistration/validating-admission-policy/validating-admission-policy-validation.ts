import type { Faults } from "../../../validation/faults.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import { validatePolicySpec } from "../policies/policy-validation.ts";
import { supported } from "../webhooks/rule-validation.ts";
import type { ValidatingAdmissionPolicy } from "./validating-admission-policy.ts";

/** Upstream's limits on audit annotations, and on the text of an annotation's expression. */
const auditAnnotationsMax = 20;
const valueExpressionLengthMax = 5 * 1024;

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

type Spec = NonNullable<ValidatingAdmissionPolicy["spec"]>;

/** The rules follow ValidateValidatingAdmissionPolicy. */
export function validateValidatingPolicy({ metadata, spec = {} }: ValidatingAdmissionPolicy, faults: Faults): void {
  validatePolicySpec(spec, faults);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const why = "validations or auditAnnotations must contain at least one item";
    faults.required("spec.validations", why);
    faults.required("spec.auditAnnotations", why);
    return;
  }
  for (const [index, validation] of validations.entries()) {
    validateValidation(validation, `spec.validations[${index}]`, faults);
  }
  validateAuditAnnotations(auditAnnotations, metadata.name ?? "", faults);
}

function validateValidation(
  { expression, message = "", messageExpression = "", reason }: NonNullable<Spec["validations"]>[number],
  path: string,
  faults: Faults,
): void {
  if (expression.trim() === "") faults.required(`${path}.expression`, "expression is not specified");
  if (messageExpression !== "" && messageExpression.trim() === "") {
    faults.invalid(`${path}.messageExpression`, messageExpression, "must be non-empty if specified");
  }
  if (message !== "" && message.trim() === "") {
    faults.invalid(`${path}.message`, message, "message must be non-empty if specified");
  } else if (/[\n\r]/.test(message.trim())) {
    faults.invalid(`${path}.message`, message, "message must not contain line breaks");
  }
  supported(faults, `${path}.reason`, [reason, reasons]);
}

function validateAuditAnnotations(
  annotations: NonNullable<Spec["auditAnnotations"]>,
  policyName: string,
  faults: Faults,
): void {
  const path = "spec.auditAnnotations";
  if (annotations.length > auditAnnotationsMax) {
    faults.invalid(path, annotations, `must not have more than ${auditAnnotationsMax} auditAnnotations`);
  }
  const keys = new Set<string>();
  for (const [index, { key, valueExpression }] of annotations.entries()) {
    const at = `${path}[${index}]`;
    if (policyName === "") faults.invalid(`${at}.key`, key, "requires metadata.name be non-empty");
    else faults.invalidEach(`${at}.key`, `${policyName}/${key}`, checkQualifiedName(`${policyName}/${key}`));
    const text = valueExpression.trim();
    if (text === "") faults.required(`${at}.valueExpression`, "valueExpression is not specified");
    else if (text.length > valueExpressionLengthMax) {
      faults.required(`${at}.valueExpression`, `must not exceed ${valueExpressionLengthMax} bytes in length`);
    }
    if (keys.has(key)) faults.duplicate(`${at}.key`, key);
    keys.add(key);
  }
}

export function validatePolicyStatus({ status = {} }: ValidatingAdmissionPolicy, faults: Faults): void {
  for (const [index, { warning, fieldRef }] of (status.typeChecking?.expressionWarnings ?? []).entries()) {
    const path = `status.typeChecking.expressionWarnings[${index}]`;
    if (warning === "") faults.required(`${path}.warning`);
    if (fieldRef.trim() === "") faults.required(`${path}.fieldRef`);
  }
}
