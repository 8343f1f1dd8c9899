import type { JsonSchema, ValidationRule } from "@kintsugi/api";
import { itemsOf, valuesOf } from "../schema-parts.ts";

const known = new WeakMap<JsonSchema, readonly ValidationRule[]>();

/** Lists the rules of a schema and of all parts of its structure. */
export function rulesWithin(schema: JsonSchema): readonly ValidationRule[] {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const rules = [
    ...(schema["x-kubernetes-validations"] ?? []),
    ...[itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})].flatMap((part) =>
      part === undefined ? [] : rulesWithin(part),
    ),
  ];
  known.set(schema, rules);
  return rules;
}

/** Lists the expressions of rules. */
export function expressionsOf(rules: readonly ValidationRule[]): string[] {
  return rules.flatMap(({ rule, messageExpression = "" }) =>
    messageExpression === "" ? [rule] : [rule, messageExpression],
  );
}
