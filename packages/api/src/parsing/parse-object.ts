import type { z } from "zod";
import { badRequest } from "../errors/refusals.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import {
  describeSchema,
  type ScalarDescription,
  type ScalarFormat,
  type TypeDescription,
} from "../schema/describe-schema.ts";
import { decoderOf, findMisfit, mismatch } from "./decoder.ts";
import { withoutNulls } from "./without-nulls.ts";

/** The wire names of the parsed kind, for error messages. */
type WireKind = Pick<ResourceType, "version" | "kind">;

/**
 * Converts a decoded JSON body to an object of the kind: unknown fields are dropped, null counts as
 * absent, missing required fields get their zero value, times and quantities get their canonical
 * form.
 * @throws ApiError BadRequest, with upstream's decoder's text, when a value has the wrong JSON
 * type.
 */
export function parseObject<T>(schema: z.ZodType<T>, kind: WireKind, value: unknown): T {
  const decoded = decoderOf(schema)(value);
  if (decoded !== mismatch) return decoded as T;
  // The decoder finds the place of the error; the schema of that place explains it.
  const { path, value: found, schema: wanted } = findMisfit(schema, value);
  const issue = wanted.safeParse(withoutNulls(found)).error?.issues[0];
  throw cannotBeHandled(kind, explain(describeSchema(schema), path, { value, issue }));
}

/**
 * The error for a body that does not decode as its kind. It names the version without its group,
 * like transformDecodeError in apiserver/pkg/endpoints/handlers.
 */
export function cannotBeHandled({ kind, version }: WireKind, because: string) {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${because}`);
}

interface Fault {
  value: unknown;
  issue: z.core.$ZodIssue | undefined;
}

/**
 * Returns the text of Go's decoder: the JSON that was found, the field and its type, and the
 * expected type.
 */
function explain(root: TypeDescription, path: readonly PropertyKey[], fault: Fault): string {
  let type = root;
  let struct = shortName(root);
  let found = fault.value;
  const names: string[] = [];
  for (const part of path) {
    found = typeof found === "object" && found !== null ? (found as Record<PropertyKey, unknown>)[part] : undefined;
    if (type.type === "object") {
      struct = shortName(type);
      type = type.fields.get(String(part))?.type ?? { type: "any" };
      names.push(String(part));
    } else if (type.type === "map") {
      type = type.values;
      names.push(String(part));
    } else if (type.type === "list") type = type.items;
  }
  if (typeof found === "string" && type.type === "string") return explainText(type, found, fault.issue?.message ?? "");
  const place = names.length === 0 ? "Go value" : `Go struct field ${struct}.${names.join(".")}`;
  return `json: cannot unmarshal ${jsonKind(found)} into ${place} of type ${goType(type)}`;
}

function explainText(type: ScalarDescription, found: string, message: string): string {
  if (type.format === "date-time" || type.format === "micro-time")
    return `parsing time ${JSON.stringify(found)}: ${message}`;
  return message;
}

function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? "number" : `number ${value}`;
  if (typeof value === "boolean") return "bool";
  return value === null ? "null" : typeof value;
}

function goType(type: TypeDescription): string {
  if (type.type === "object") return goStruct(type.name);
  if (type.type === "list") return `[]${goType(type.items)}`;
  if (type.type === "map") return `map[string]${goType(type.values)}`;
  return goScalar(type);
}

function goScalar({ type, format }: ScalarDescription): string {
  if (format !== undefined) return goTypeByFormat[format];
  return { string: "string", integer: "int64", number: "float64", boolean: "bool", any: "map[string]interface {}" }[
    type
  ];
}

const goTypeByFormat: Readonly<Record<ScalarFormat, string>> = {
  int32: "int32",
  int64: "int64",
  double: "float64",
  byte: "[]uint8",
  "date-time": "v1.Time",
  "micro-time": "v1.MicroTime",
  duration: "v1.Duration",
  quantity: "resource.Quantity",
  "int-or-string": "intstr.IntOrString",
};

/** `v1.PodSpec` of "io.k8s.api.core.v1.PodSpec". */
function goStruct(name: string): string {
  return name.split(".").slice(-2).join(".");
}

function shortName(type: TypeDescription): string {
  return type.type === "object" ? (type.name.split(".").at(-1) ?? "") : "";
}
