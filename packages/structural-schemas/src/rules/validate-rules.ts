import { type Faults, type JsonSchema, type JsonValue, sameJson, type ValidationRule } from "@kintsugi/api";
import { type CelBudget, type CelExpression, optionalOf } from "@kintsugi/cel";
import { hasMembers } from "../json.ts";
import { itemsOf, propertyOf, valuesOf } from "../schema-parts.ts";
import { compiledRule } from "./compiled-rules.ts";
import { rulesWithin } from "./rule-list.ts";
import { itemsBefore, memberPath } from "../values/validate-value.ts";
import { toCel } from "./cel-values.ts";
import { usesOldSelf } from "./rule-variables.ts";

/**
 * Upstream's limit for one evaluation, and a quarter of its limit for a whole object, because the
 * server does not answer other requests in the meantime.
 */
const [callCostMax, objectCostMax] = [1_000_000, 2_500_000];

interface RulePlace {
  readonly value: JsonValue;
  readonly schema: JsonSchema;
  readonly path: string;
  /**
   * The stored value at the same path; undefined if this value does not exist or cannot be found.
   */
  readonly before: JsonValue | undefined;
}

/**
 * Evaluates the rules of a schema for an object, after all other conditions. Upstream does not
 * evaluate rules if a fault of these conditions could make a rule fail, and reports the omission.
 */
export function validateRules(place: RulePlace, faults: Faults): void {
  if (!hasRules(place.schema)) return;
  if (faults.list.some(({ reason }) => blockingReasons.has(reason))) {
    const detail =
      "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
    faults.invalid("<nil>", null, detail);
    return;
  }
  new RuleValidation(faults).visit(place, true);
}

const blockingReasons: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Most schemas do not have rules, and their objects are not traversed again. */
function hasRules(schema: JsonSchema): boolean {
  return rulesWithin(schema).length > 0;
}

class RuleValidation {
  readonly #faults: Faults;
  #costLeft = objectCostMax;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  visit(place: RulePlace, isRoot: boolean): void {
    const { value, schema, path, before } = place;
    if (value === null || !hasRules(schema)) return;
    // A value that has not changed is not validated again, as with all other conditions.
    if (!isRoot && before !== undefined && sameJson(value, before)) return;
    for (const rule of schema["x-kubernetes-validations"] ?? []) this.#apply(rule, place, isRoot);
    const items = itemsOf(schema);
    if (Array.isArray(value) && items !== undefined) {
      const earlier = itemsBefore(schema, before);
      for (const [index, item] of value.entries()) {
        this.visit({ value: item, schema: items, path: `${path}[${index}]`, before: earlier(item) }, false);
      }
    }
    if (!hasMembers(value)) return;
    const values = valuesOf(schema);
    for (const [key, member] of Object.entries(value)) {
      const own = propertyOf(schema, key) ?? values;
      if (own === undefined) continue;
      const old = hasMembers(before) && Object.hasOwn(before, key) ? before[key] : undefined;
      this.visit({ value: member, schema: own, path: memberPath(path, key), before: old }, false);
    }
  }

  #apply(rule: ValidationRule, place: RulePlace, isRoot: boolean): void {
    if (this.#costLeft < 0) return;
    const { value, schema, before } = place;
    const compiled = compiledRule(rule);
    if (compiled === undefined) return;
    const isTransition = usesOldSelf(compiled.rule.expr);
    const optionalOld = rule.optionalOldSelf === true;
    if (isTransition && before === undefined && !optionalOld) return;
    const old = before === undefined ? undefined : toCel(before, schema, isRoot);
    const variables = {
      self: toCel(value, schema, isRoot),
      ...(isTransition && { oldSelf: optionalOld ? optionalOf(old) : old }),
    };
    const result = this.#evaluate(compiled.rule, variables);
    if (result.outcome === "value" && result.value === true) return;
    if (result.outcome === "value" && result.value === false) {
      return this.#refuse(rule, place, this.#messageOf(rule, compiled.message, variables));
    }
    const because = result.outcome === "error" ? result.message : "rule did not evaluate to true or false";
    const why =
      result.outcome === "tooCostly"
        ? `operation cancelled: actual cost limit exceeded evaluating rule: ${rule.rule.trim()}`
        : `${because} evaluating rule: ${rule.rule.trim()}`;
    this.#faults.invalid(fieldOf(place.path), typeNameOf(place), why);
    if (this.#costLeft < 0) {
      const spent = "validation failed due to running out of cost budget, no further validation rules will be run";
      this.#faults.invalid(fieldOf(place.path), typeNameOf(place), spent);
    }
  }

  #evaluate(expression: CelExpression, variables: Readonly<Record<string, unknown>>) {
    const limit = Math.min(callCostMax, Math.max(0, this.#costLeft));
    const budget: CelBudget = { costLeft: limit };
    const result = expression.evaluate(variables, budget);
    this.#costLeft -= limit - budget.costLeft;
    return result;
  }

  #messageOf(
    { rule, message = "" }: ValidationRule,
    expression: CelExpression | undefined,
    variables: Readonly<Record<string, unknown>>,
  ): string {
    const result = expression === undefined ? undefined : this.#evaluate(expression, variables);
    if (result?.outcome === "value" && typeof result.value === "string") {
      const text = result.value.trim();
      if (text !== "" && !/[\n\r]/.test(text) && text.length <= messageLengthMax) return text;
    }
    return message.trim() === "" ? `failed rule: ${rule.trim()}` : message.trim();
  }

  #refuse(rule: ValidationRule, place: RulePlace, message: string): void {
    const path = fieldOf(
      place.path + (place.path === "" ? (rule.fieldPath ?? "").replace(/^\./, "") : (rule.fieldPath ?? "")),
    );
    switch (rule.reason) {
      case "FieldValueForbidden":
        return this.#faults.forbidden(path, message);
      case "FieldValueRequired":
        return this.#faults.required(path, message);
      case "FieldValueDuplicate":
        return this.#faults.duplicate(path, typeNameOf(place));
      default:
        return this.#faults.invalid(path, typeNameOf(place), message);
    }
  }
}

/** Upstream's limit of a message from an expression. */
const messageLengthMax = 5 * 1024;

function fieldOf(path: string): string {
  return path === "" ? "<nil>" : path;
}

/** Upstream names the type instead of the value. */
function typeNameOf({ schema, value }: RulePlace): string {
  return schema.type ?? (Array.isArray(value) ? "array" : typeof value);
}
