import type { JsonValue } from "@kintsugi/api";
import { hasMembers } from "../json.ts";
import { type Filter, parseJsonPath, type Step } from "./parse-json-path.ts";

/**
 * The path of printer columns, scales and selectable fields: kubectl's JSONPath, without its
 * templates.
 */
export interface JsonPath {
  /** The values at the path, in order; empty if a member is missing. */
  find(value: JsonValue): JsonValue[];
}

/**
 * Limit on values that one step of a path may reach, because a path with `..` would visit each part
 * of an object.
 */
const foundMax = 1000;

/** @throws Error that explains why a string is not a path. */
export function compileJsonPath(text: string): JsonPath {
  const steps = parseJsonPath(text);
  return {
    find: (value) => steps.reduce<JsonValue[]>((found, step) => take(found, step).slice(0, foundMax), [value]),
  };
}

function take(values: readonly JsonValue[], step: Step): JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (found.length >= foundMax) break;
    found.push(...takeOne(value, step));
  }
  return found;
}

function takeOne(value: JsonValue, step: Step): readonly JsonValue[] {
  switch (step.kind) {
    case "member":
      return memberOf(value, step.name);
    case "every":
      return Array.isArray(value) ? value : hasMembers(value) ? Object.values(value) : [];
    case "deep":
      return deepMembers(value, step.name);
    case "slice":
      return Array.isArray(value) ? sliceOf(value, step) : [];
    case "union":
      return step.steps.flatMap((one) => takeOne(value, one));
    case "filter":
      return Array.isArray(value) ? value.filter((item) => passes(item, step.filter)) : [];
  }
}

function memberOf(value: JsonValue, name: string): JsonValue[] {
  if (!hasMembers(value) || !Object.hasOwn(value, name)) return [];
  return [value[name] ?? null];
}

function deepMembers(value: JsonValue, name: string): JsonValue[] {
  const found: JsonValue[] = [];
  const waiting: JsonValue[] = [value];
  for (let next = waiting.shift(); next !== undefined && found.length < foundMax; next = waiting.shift()) {
    if (name === "") found.push(next);
    else found.push(...memberOf(next, name));
    if (Array.isArray(next)) waiting.unshift(...next);
    else if (hasMembers(next)) waiting.unshift(...Object.values(next));
  }
  return found;
}

/** Python's slices, as in kubectl. */
function sliceOf(list: readonly JsonValue[], { from, to, by }: Extract<Step, { kind: "slice" }>): JsonValue[] {
  const place = (index: number) => (index < 0 ? index + list.length : index);
  const start = Math.max(0, place(from ?? 0));
  const end = Math.min(list.length, place(to ?? list.length));
  const found: JsonValue[] = [];
  for (let index = start; index < end; index += by) found.push(list[index] ?? null);
  return found;
}

function passes(item: JsonValue, { path, operator, value }: Filter): boolean {
  const left = path.reduce<JsonValue[]>((found, step) => take(found, step), [item])[0];
  if (operator === undefined) return left !== undefined;
  if (left === undefined || value === undefined) return false;
  switch (operator) {
    case "==":
      return left === value;
    case "!=":
      return left !== value;
    default:
      return typeof left === typeof value && compares(left, operator, value);
  }
}

function compares(left: JsonValue, operator: "<" | "<=" | ">" | ">=", right: string | number | boolean): boolean {
  const order = (left as string) < (right as string) ? -1 : (left as string) > (right as string) ? 1 : 0;
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}
