import type { z } from "zod";
import { suggest } from "./nearest-word.ts";
import type { Problem } from "./problem.ts";
import type { Path, YamlText } from "./yaml-text.ts";

interface Complained {
  readonly yaml: YamlText;
  /** The schema whose words are suggested. */
  readonly schema: unknown;
  readonly whole: string;
}

/** A schema's errors as sentences, each with its path. */
export function explainIssue(issue: z.core.$ZodIssue, { yaml, schema, whole }: Complained): Problem[] {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({
      ...yaml.positionOfKey(path, key),
      message: `${pathText(path, whole)}: unknown word "${key}"; ${suggest(key, knownKeys(schema, path))}`,
    }));
  return [{ ...yaml.positionOf(path), message: `${pathText(path, whole)}: ${explainValue(issue)}` }];
}

function explainValue(issue: z.core.$ZodIssue): string {
  if (issue.input === undefined && issue.code !== "custom") return "is missing";
  if (issue.code === "invalid_value") {
    const words = issue.values.map(String);
    return `unknown word ${JSON.stringify(issue.input)}; ${suggest(String(issue.input), words)}`;
  }
  if (issue.code === "invalid_type") return `${JSON.stringify(issue.input)} is not ${article(issue.expected)}`;
  return issue.message;
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = {
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "a group of words with values",
  };
  return names[type] ?? type;
}

/** The words that are allowed in the group at the path. */
function knownKeys(root: unknown, path: Path): string[] {
  let schema = root;
  for (const step of path) schema = typeof step === "number" ? elementOf(schema) : shapeOf(schema)[step];
  return Object.keys(shapeOf(schema));
}

interface SchemaParts {
  shape?: Record<string, unknown>;
  element?: unknown;
  def?: { innerType?: unknown; out?: unknown };
}

function shapeOf(schema: unknown): Record<string, unknown> {
  return unwrapped(schema).shape ?? {};
}

function elementOf(schema: unknown): unknown {
  return unwrapped(schema).element;
}

/** Returns the schema inside "optional" and after a preprocessing step. */
function unwrapped(schema: unknown): SchemaParts {
  let parts = (schema ?? {}) as SchemaParts;
  while (parts.def?.innerType !== undefined || parts.def?.out !== undefined)
    parts = (parts.def.innerType ?? parts.def.out) as SchemaParts;
  return parts;
}

/** faults[2].node, counted from 1 as people count; the empty path is the whole document. */
export function pathText(path: Path, whole: string): string {
  if (path.length === 0) return whole;
  return path
    .map((step, index) => (typeof step === "number" ? `[${step + 1}]` : index === 0 ? step : `.${step}`))
    .join("");
}
