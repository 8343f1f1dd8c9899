import type { CompiledValidatingPolicy, CompiledValidation } from "./policy-directory.ts";
import { matchesConditions } from "../expressions/match-conditions.ts";
import type { PolicyScope } from "./policy-scope.ts";

/** The result of one validation. A rejection may be an error of the policy. */
type PolicyDecision =
  | { readonly admits: true }
  | { readonly admits: false; readonly message: string; readonly reason: string; readonly isError: boolean };

export interface PolicyJudgement {
  /** One result for each validation, in the same order. */
  readonly decisions: readonly PolicyDecision[];
  readonly annotations: readonly { readonly key: string; readonly value: string }[];
  /**
   * Audit annotations that failed. Each rejects the request regardless of the binding's actions.
   */
  readonly annotationErrors: readonly string[];
}

/** Upstream's limit of a message that an expression makes. */
const messageLengthMax = 5 * 1024;
/** Upstream's limit of an annotation's value. */
const annotationLengthMax = 10 * 1024;

const nothing: PolicyJudgement = { decisions: [], annotations: [], annotationErrors: [] };

/** Upstream's validator: one policy's check of a request with one set of parameters. */
export function judgeRequest(policy: CompiledValidatingPolicy, scope: PolicyScope): PolicyJudgement {
  const { failurePolicy, conditions, validations, auditAnnotations } = policy;
  const failed = (message: string): PolicyDecision =>
    failurePolicy === "Ignore" ? { admits: true } : { admits: false, message, reason: "", isError: true };
  if (conditions.length > 0) {
    const match = matchesConditions(conditions, { variables: scope, world: scope.world }, failurePolicy);
    if ("error" in match) return { ...nothing, decisions: [failed(match.error)] };
    if (!match.matches) return nothing;
  }
  const decisions: PolicyDecision[] = [];
  for (const validation of validations) {
    const result = scope.evaluate(validation.expression);
    if (result.outcome === "exhausted") return { ...nothing, decisions: [failed(result.message)] };
    if (result.outcome === "error") decisions.push(failed(result.message));
    else if (result.value === true) decisions.push({ admits: true });
    else decisions.push(refusedBy(validation, scope, failed));
  }
  const annotations: { key: string; value: string }[] = [];
  const annotationErrors: string[] = [];
  for (const { key, expression } of auditAnnotations) {
    const result = scope.evaluate(expression);
    if (result.outcome !== "value") {
      if (failurePolicy !== "Ignore") annotationErrors.push(result.message);
    } else if (typeof result.value === "string") {
      const value = result.value.trim();
      if (value !== "") annotations.push({ key, value: value.slice(0, annotationLengthMax) });
    } else if (result.value !== null) {
      annotationErrors.push(
        `valueExpression '${expression.text}' resulted in unsupported return type. Return type must be either string or null.`,
      );
    }
  }
  return { decisions, annotations, annotationErrors };
}

function refusedBy(
  { expression, messageExpression, message, reason = "Invalid" }: CompiledValidation,
  scope: PolicyScope,
  failed: (message: string) => PolicyDecision,
): PolicyDecision {
  let made = "";
  if (messageExpression !== undefined) {
    const result = scope.evaluate(messageExpression);
    if (result.outcome === "exhausted") return failed(`failed messageExpression: ${result.message}`);
    if (result.outcome === "value" && typeof result.value === "string") made = result.value.trim();
    if (made.includes("\n") || Buffer.byteLength(made) > messageLengthMax) made = "";
  }
  const text = [made, message.trim()].find((each) => each !== "") ?? `failed expression: ${expression.text.trim()}`;
  return { admits: false, message: text, reason, isError: false };
}
