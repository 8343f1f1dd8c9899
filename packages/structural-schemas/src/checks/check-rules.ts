import type { Faults, JsonSchema, ValidationRule } from "@kintsugi/api";

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/** Finds faults in the strings of validation rules; `checkExpressions` compiles the expressions. */
export function checkRules(schema: JsonSchema, path: string, faults: Faults): void {
  for (const [index, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
    checkRule(rule, `${path}.x-kubernetes-validations[${index}]`, faults);
  }
}

function checkRule(rule: ValidationRule, path: string, faults: Faults): void {
  const { message = "", messageExpression = "", fieldPath = "", reason } = rule;
  if (rule.rule.trim() === "") faults.required(`${path}.rule`, "rule is not specified");
  else if (message !== "" && message.trim() === "") {
    faults.invalid(`${path}.message`, message, "message must be non-empty if specified");
  } else if (hasLineBreaks(message.trim())) {
    faults.invalid(`${path}.message`, message, "message must not contain line breaks");
  } else if (hasLineBreaks(rule.rule.trim()) && message.trim() === "") {
    faults.required(`${path}.message`, "message must be specified if rule contains line breaks");
  }
  if (messageExpression !== "" && messageExpression.trim() === "") {
    faults.required(`${path}.messageExpression`, "messageExpression must be non-empty if specified");
  }
  if (reason !== undefined && !reasons.includes(reason)) faults.notSupported(`${path}.reason`, reason, reasons);
  if (fieldPath !== "" && fieldPath.trim() === "") {
    faults.invalid(`${path}.fieldPath`, fieldPath, "fieldPath must be non-empty if specified");
  }
  if (hasLineBreaks(fieldPath)) {
    faults.invalid(`${path}.fieldPath`, fieldPath, "fieldPath must not contain line breaks");
  }
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}
