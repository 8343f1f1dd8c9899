import type { Faults } from "../../../validation/faults.ts";
import { checkQualifiedName } from "../../../values/names.ts";
import type { MatchCondition } from "./webhook.ts";

/** Upstream's limit on the conditions of one policy or webhook. */
const matchConditionsMax = 64;

/** The server checks that the expressions can be compiled. */
export function validateMatchConditions(conditions: readonly MatchCondition[], path: string, faults: Faults): void {
  if (conditions.length > matchConditionsMax) return faults.tooMany(path, conditions.length, matchConditionsMax);
  const names = new Set<string>();
  for (const [index, { name, expression }] of conditions.entries()) {
    if (expression.trim() === "") faults.required(`${path}[${index}].expression`);
    if (name === "") faults.required(`${path}[${index}].name`);
    else faults.invalidEach(`${path}[${index}].name`, name, checkQualifiedName(name));
    if (name !== "" && names.has(name)) faults.duplicate(`${path}[${index}].name`, name);
    names.add(name);
  }
}
