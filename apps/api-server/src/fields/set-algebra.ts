import { parseForeignJson } from "@kintsugi/api";
import { type FieldSet, isEmptySet } from "./field-set.ts";
import type { FieldType } from "./field-type.ts";
import { shapeOf } from "./value-shape.ts";

/**
 * Operations on field sets in addition to unions and differences (`field-set.ts`), like upstream's
 * fieldpath.Set.
 */

/** Reports whether the path that ends in this node is itself a member. */
function isMember(node: FieldSet): boolean {
  return isEmptySet(node) || node["."] !== undefined;
}

/** Reports whether the path of these steps is a member of `set`. */
export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const step of path) node = node?.[step];
  return node !== undefined && isMember(node);
}

/** The members of both sets. */
export function intersection(ours: FieldSet, theirs: FieldSet): FieldSet {
  const both: FieldSet = {};
  for (const step of stepsOf(ours)) {
    const [a, b] = [ours[step], theirs[step]];
    if (a === undefined || b === undefined) continue;
    const below = intersection(a, b);
    if (isMember(a) && isMember(b)) both[step] = isEmptySet(below) ? {} : { ".": {}, ...below };
    else if (!isEmptySet(below)) both[step] = below;
  }
  return both;
}

/** `set` without the members of `less` and everything below them. */
export function withoutBranches(set: FieldSet, less: FieldSet): FieldSet {
  const rest: FieldSet = {};
  for (const step of Object.keys(set)) {
    const ours = set[step] ?? {};
    const theirs = less[step];
    if (theirs === undefined) rest[step] = ours;
    else if (!isMember(theirs)) {
      const below = withoutBranches(ours, theirs);
      if (isEmptySet(ours) || !isEmptySet(below)) rest[step] = below;
    }
  }
  return rest;
}

/** The set with every declared field that has members below it as an additional member. */
export function withNamedFields(set: FieldSet, as: FieldType): FieldSet {
  const shape = shapeOf(as);
  const all: FieldSet = {};
  for (const [step, node] of Object.entries(set)) {
    if (step === ".") {
      all[step] = node;
      continue;
    }
    const field = shape.kind === "struct" && step.startsWith("f:") ? shape.fields.get(step.slice(2)) : undefined;
    const child = field ?? (shape.kind === "map" ? shape.values : shape.kind === "list" ? shape.items : undefined);
    const below = child === undefined ? node : withNamedFields(node, child);
    all[step] = field !== undefined && !isEmptySet(below) ? { ".": {}, ...below } : below;
  }
  return all;
}

/**
 * Returns the set's part at one step: whether the step itself is a member, and the paths below it.
 */
export function nodeAt(set: FieldSet, step: string): { itself: boolean; below: FieldSet } | undefined {
  const node = set[step];
  return node === undefined ? undefined : { itself: isMember(node), below: node };
}

/** Reports whether the node contains anything but the path itself. */
export function hasBelow(node: FieldSet): boolean {
  return stepsOf(node).length > 0;
}

/**
 * All members in upstream's path notation and order: `.spec.ports[port=80,protocol="TCP"].name`.
 */
export function pathsOf(set: FieldSet, prefix = ""): string[] {
  const steps = stepsOf(set).toSorted();
  const members = steps.filter((step) => isMember(set[step] ?? {})).map((step) => prefix + stepText(step));
  return [...members, ...steps.flatMap((step) => pathsOf(set[step] ?? {}, prefix + stepText(step)))];
}

export function stepText(step: string): string {
  const content = step.slice(2);
  switch (step.slice(0, 2)) {
    case "k:": {
      const keys = Object.entries(JSON.parse(content) as Record<string, unknown>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
    }
    case "v:":
      return `[=${content}]`;
    case "i:":
      return `[${content}]`;
    default:
      return `.${content}`;
  }
}

function stepsOf(set: FieldSet): string[] {
  return Object.keys(set).filter((step) => step !== ".");
}

/** Reports whether a value that a client sent has the form of a field set. */
export function isFieldSet(value: unknown): value is FieldSet {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([step, below]) => (step === "." || isStep(step)) && isFieldSet(below));
}

function isStep(step: string): boolean {
  const content = step.slice(2);
  switch (step.slice(0, 2)) {
    case "f:":
      return true;
    case "i:":
      return /^\d+$/.test(content);
    case "k:":
      return isJson(content, (value) => typeof value === "object" && value !== null && !Array.isArray(value));
    case "v:":
      return isJson(content, () => true);
    default:
      return false;
  }
}

function isJson(text: string, accepts: (value: unknown) => boolean): boolean {
  try {
    return accepts(parseForeignJson(text));
  } catch {
    return false;
  }
}
