import { messageOf } from "@kintsugi/api";
import type { Faults, JsonSchema, ValidationRule } from "@kintsugi/api";
import { compileCel, type Expr, type ExpressionBudget } from "@kintsugi/cel";
import { itemsOf, valuesOf } from "../schema-parts.ts";
import { inspectRule } from "./inspect-rule.ts";
import { usesOldSelf } from "./rule-variables.ts";
import { fittingInRequest } from "./schema-sizes.ts";

/** Upstream's limits of the estimated cost of one rule, and of all rules of a schema. */
const [ruleCostMax, schemaCostMax] = [10_000_000, 100_000_000];

interface ExpressionPlace {
  readonly path: string;
  readonly isRoot: boolean;
  /**
   * Limit of the values that one object may have at this path, by the limits of the enclosing lists
   * and maps; undefined if a list or map does not have a limit.
   */
  readonly cardinality: number | undefined;
  /**
   * The path of the first enclosing list whose items have no old value; undefined without such a
   * list.
   */
  readonly uncorrelated: string | undefined;
}

/**
 * Compiles the rules of a valid schema, and rejects rules that are invalid or may cost too much.
 */
export function checkExpressions(
  schema: JsonSchema,
  { path, budget }: { path: string; budget: ExpressionBudget },
  faults: Faults,
): void {
  const check = new ExpressionCheck(faults, budget);
  check.visit(schema, { path, isRoot: true, cardinality: 1, uncorrelated: undefined });
  if (check.total <= schemaCostMax) return;
  const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
  faults.forbidden(path, costMessage(what, check.total / schemaCostMax));
}

class ExpressionCheck {
  readonly #faults: Faults;
  readonly #budget: ExpressionBudget;
  total = 0;

  constructor(faults: Faults, budget: ExpressionBudget) {
    this.#faults = faults;
    this.#budget = budget;
  }

  visit(schema: JsonSchema, place: ExpressionPlace): void {
    const { path, cardinality, uncorrelated } = place;
    for (const [index, rule] of (schema["x-kubernetes-validations"] ?? []).entries()) {
      this.#check(rule, schema, { ...place, path: `${path}.x-kubernetes-validations[${index}]` });
    }
    const below = { isRoot: false, uncorrelated };
    const isAtomic = schema["x-kubernetes-map-type"] === "atomic";
    const ofMembers = isAtomic ? (uncorrelated ?? path) : uncorrelated;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      this.visit(property, {
        path: `${path}.properties[${name}]`,
        isRoot: false,
        cardinality,
        uncorrelated: ofMembers,
      });
    }
    const items = itemsOf(schema);
    if (items !== undefined) {
      const isMap = schema["x-kubernetes-list-type"] === "map";
      this.visit(items, {
        ...below,
        path: `${path}.items`,
        cardinality: times(cardinality, schema.maxItems),
        uncorrelated: isMap ? uncorrelated : (uncorrelated ?? path),
      });
    }
    const values = valuesOf(schema);
    if (values !== undefined) {
      const many = times(cardinality, schema.maxProperties);
      this.visit(values, { ...below, path: `${path}.additionalProperties`, cardinality: many });
    }
  }

  #check(rule: ValidationRule, schema: JsonSchema, place: ExpressionPlace): void {
    const { path } = place;
    const expr = this.#compile(rule.rule, `${path}.rule`, rule);
    if (expr !== undefined) {
      this.#judge(expr, schema, { ...place, path: `${path}.rule`, rule });
      this.#checkOldSelf(expr, rule, place);
    }
    const { messageExpression = "" } = rule;
    if (messageExpression === "") return;
    const message = this.#compile(messageExpression, `${path}.messageExpression`, rule);
    if (message !== undefined) this.#judge(message, schema, { ...place, path: `${path}.messageExpression`, rule });
  }

  #compile(text: string, path: string, rule: ValidationRule): Expr | undefined {
    try {
      const because = this.#budget.explain(text);
      if (because !== undefined) {
        this.#faults.forbidden(path, because);
        return undefined;
      }
      return compileCel(text).expr;
    } catch (error) {
      const because = messageOf(error);
      this.#faults.invalid(path, rule, `compilation failed: ERROR: ${because}`);
      return undefined;
    }
  }

  #judge(expr: Expr, schema: JsonSchema, place: ExpressionPlace & { rule: ValidationRule }): void {
    const { path, isRoot, cardinality, rule } = place;
    const { faults, cost } = inspectRule(expr, schema, isRoot);
    for (const fault of new Set(faults)) this.#faults.invalid(path, rule, `compilation failed: ERROR: ${fault}`);
    // A path without enclosing limits has as many values as fit into a request.
    const estimated = cost * (cardinality ?? fittingInRequest(schema));
    this.total += estimated;
    if (estimated <= ruleCostMax) return;
    const what = path.endsWith(".rule") ? "estimated rule cost" : "estimated messageExpression cost";
    this.#faults.forbidden(path, costMessage(what, estimated / ruleCostMax));
  }

  #checkOldSelf(expr: Expr, rule: ValidationRule, { path, uncorrelated }: ExpressionPlace): void {
    if (!usesOldSelf(expr)) {
      if (rule.optionalOldSelf === undefined) return;
      const why = "may not be set if oldSelf is not used in rule";
      this.#faults.invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why);
    } else if (uncorrelated !== undefined) {
      const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
      this.#faults.invalid(`${path}.rule`, rule.rule, why);
    }
  }
}

function times(cardinality: number | undefined, elements: number | undefined): number | undefined {
  return cardinality === undefined || elements === undefined ? undefined : cardinality * elements;
}

function costMessage(what: string, factor: number): string {
  const times = factor > 100 ? "more than 100x" : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
  return `${what} exceeds budget by factor of ${times} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
