import {
  apiVersionOf,
  badRequest,
  cannotBeHandled,
  findUnknownFields,
  type JsonObject,
  type JsonValue,
  parseObject,
  type ResourceType,
  shownValue,
  type TypeDescription,
} from "@kintsugi/api";
import type { z } from "zod";
import type { FieldValidation } from "./write-options.ts";

export interface Decodable<T> {
  type: Pick<ResourceType, "group" | "version" | "kind">;
  schema: z.ZodType<T>;
  description: TypeDescription;
  /** Replaces the schema for a kind whose schema is data. */
  decode?: ((body: JsonObject) => T) | undefined;
}

export interface DecodeOptions {
  fieldValidation: FieldValidation;
  /** Paths of duplicate keys in the body. */
  duplicates: readonly string[];
  /** Collects the warnings of a lenient request. */
  warnings: string[];
}

/**
 * Makes an object of the expected kind from a body. Unknown fields are dropped, rejected or
 * reported in warnings.
 * @throws ApiError BadRequest.
 */
export function decodeObject<T>(body: JsonObject, as: Decodable<T>, options: DecodeOptions): T {
  checkKind(body, as.type);
  if (options.fieldValidation !== "Ignore") reportFields(body, as, options);
  const object = (as.decode?.(body) ?? parseObject(as.schema, as.type, body)) as T & {
    apiVersion?: string;
    kind?: string;
  };
  object.apiVersion = apiVersionOf(as.type);
  object.kind = as.type.kind;
  return object;
}

/** A body without a kind is assumed to have the kind of the URL. */
function checkKind(body: JsonObject, type: Decodable<unknown>["type"]): void {
  const expected = apiVersionOf(type);
  const apiVersion = body["apiVersion"] ?? expected;
  const kind = body["kind"] ?? type.kind;
  if (kind !== type.kind) {
    throw badRequest(
      `${textOf(kind)} in version ${JSON.stringify(versionIn(apiVersion))} cannot be handled as a ${type.kind}: no kind ${JSON.stringify(kind)} is registered for this resource`,
    );
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${textOf(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

/** "v1" of "apps/v1", because upstream's decoder does not name the group. */
function versionIn(apiVersion: JsonValue): JsonValue {
  return typeof apiVersion === "string" ? apiVersion.slice(apiVersion.indexOf("/") + 1) : apiVersion;
}

/** Writes a value for messages: a string unchanged, any other value as JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function reportFields(body: JsonObject, as: Decodable<unknown>, options: DecodeOptions): void {
  // Nearly every body is valid, so this check does not record the place of a fault.
  const texts = hasUnknownField(as.description, body) ? findUnknownFields(as.description, body) : [];
  for (const path of options.duplicates) texts.push(`duplicate field ${shownValue(path)}`);
  if (texts.length === 0) return;
  if (options.fieldValidation === "Strict")
    throw cannotBeHandled(as.type, `strict decoding error: ${texts.join(", ")}`);
  options.warnings.push(...texts);
}

function hasUnknownField(type: TypeDescription, value: JsonValue): boolean {
  if (value === null || typeof value !== "object") return false;
  if (type.type === "any" && type.either !== undefined) {
    return hasUnknownField(Array.isArray(value) ? type.either.other : type.either.object(), value);
  }
  if (Array.isArray(value)) return type.type === "list" && value.some((item) => hasUnknownField(type.items, item));
  if (type.type === "object") {
    for (const key of Object.keys(value)) {
      const field = type.fields.get(key);
      if (field === undefined || hasUnknownField(field.type, value[key] ?? null)) return true;
    }
    return false;
  }
  if (type.type !== "map" || isScalar(type.values)) return false;
  return Object.values(value).some((member) => hasUnknownField(type.values, member));
}

function isScalar({ type }: TypeDescription): boolean {
  return type !== "object" && type !== "list" && type !== "map";
}
