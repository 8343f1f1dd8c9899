import type { LabelSelector } from "./label-selector-type.ts";

/**
 * Selects objects by their labels. `parseLabelSelector` makes it from text, `toSelector` from an
 * object.
 */
export interface Selector {
  /** All requirements must hold; an empty list selects everything. Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  /** True for a missing selector, which does not select any object. */
  readonly nothing?: boolean;
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/**
 * The operators in text form: `a`, `!a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`,
 * `a>1`, `a<1`.
 */
export type LabelOperator = "exists" | "!" | "=" | "==" | "!=" | "in" | "notin" | "gt" | "lt";

type LabelSet = Readonly<Record<string, string>> | undefined;

export const selectsEverything: Selector = { requirements: [] };

export const selectsNothing: Selector = { requirements: [], nothing: true };

export function matchesLabels(selector: Selector, labels: LabelSet): boolean {
  if (selector.nothing === true) return false;
  return selector.requirements.every((requirement) => holds(requirement, labels));
}

/**
 * The selector in an object's spec. As in upstream, an absent selector selects nothing, an empty
 * selector everything, and a selector with an invalid operator nothing.
 */
export function toSelector(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return selectsNothing;
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    requirements.push({ key, operator: "=", values: [value] });
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const textOperator = operatorInText[operator];
    if (textOperator === undefined) return selectsNothing;
    requirements.push({ key, operator: textOperator, values: values ?? [] });
  }
  return { requirements: sorted(requirements) };
}

/**
 * The selector of a Service or ReplicationController: equal labels. An absent or empty map selects
 * nothing.
 */
export function mapSelector(labels: LabelSet): Selector {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return selectsNothing;
  return { requirements: sorted(entries.map(([key, value]) => ({ key, operator: "=", values: [value] }))) };
}

/** The text form, which is the same for equal selectors. */
export function formatSelector(selector: Selector): string {
  return selector.requirements.map(formatRequirement).join(",");
}

/** Returns the only label value that can match, if it is unique, so that an index can be used. */
export function requiredValue(selector: Selector, key: string): string | undefined {
  const requirement = selector.requirements.find((candidate) => candidate.key === key);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  return ["=", "==", "in"].includes(requirement.operator) ? requirement.values[0] : undefined;
}

export function sorted(requirements: LabelRequirement[]): LabelRequirement[] {
  return requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

const operatorInText: Readonly<Record<string, LabelOperator | undefined>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function holds({ key, operator, values }: LabelRequirement, labels: LabelSet): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "gt":
    case "lt":
      return value !== undefined && compares(operator, value, values[0]);
  }
}

function compares(operator: "gt" | "lt", value: string, limit: string | undefined): boolean {
  const [left, right] = [findInteger(value), findInteger(limit ?? "")];
  if (left === undefined || right === undefined) return false;
  return operator === "gt" ? left > right : left < right;
}

/** A signed 64-bit integer, as upstream reads the values of `Gt` and `Lt`. */
export function findInteger(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]{1,19}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.toSorted().join(",")})`;
    case "gt":
    case "lt":
      return `${key}${operator === "gt" ? ">" : "<"}${values.join(",")}`;
    case "=":
    case "==":
    case "!=":
      return `${key}${operator}${values.join(",")}`;
  }
}
