import {
  badRequest,
  type JsonObject,
  type JsonValue,
  type Kind,
  requestTooLarge,
  unsupportedMediaType,
} from "@kintsugi/api";
import type { TypeDescription } from "@kintsugi/api";
import { decodeCbor } from "../cbor/index.ts";
import { decodeProtobuf } from "../protobuf/index.ts";
import type { ApiRequest } from "./api-request.ts";
import { bodyBytesMax } from "./bodies/body-limits.ts";
import { assertPlainKeys, assertValueDepth, findDuplicateKeys, parseJson } from "./json-body.ts";
import { parseJsonAsYaml, parseYamlBody } from "./yaml-body.ts";
import { isJsonObject } from "../json-value.ts";
import { cborContentType, type Encodings, protobufContentType } from "./negotiate.ts";

const cborApplyType = "application/apply-patch+cbor";

const patchContentTypes = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
  [cborApplyType]: "apply",
} as const;

export type PatchType = (typeof patchContentTypes)[keyof typeof patchContentTypes];

/** The patch types that state changes; the other type, apply, states the result. */
export type ChangingPatchType = Exclude<PatchType, "apply">;

/** Returns the type by which a protobuf body of this kind is decoded. */
export type DescribeKind = (apiVersion: string, kind: string) => TypeDescription | undefined;

/** The part of a server's context that reading a body requires. */
export interface BodyContext {
  readonly registry: { readonly describe: DescribeKind };
  readonly encodings: Pick<Encodings, "cbor">;
}

export interface ParsedBody {
  object: JsonObject;
  /** Paths of duplicate keys in the body, searched for only on demand. */
  duplicates: readonly string[];
}

/**
 * The media type without parameters, in lower case. A type that two readers could interpret
 * differently is rejected.
 */
function mediaTypeOf(header: string | undefined, accepted: readonly string[]): string {
  if (header === undefined || header === "") return "application/json";
  if (!/^[\x20-\x7e]*$/.test(header)) throw unsupportedMediaType(accepted);
  return (header.split(";")[0] ?? "").trim().toLowerCase();
}

const dataBodyTypes = ["application/json", "application/yaml"];
const readTypes = [...dataBodyTypes, protobufContentType];

export interface ObjectBodyOptions {
  /** Searches for duplicate keys in the body; false when absent. */
  readonly findDuplicates?: boolean;
  /** Limit of the values that the body may hold; absent: the limit of an ordinary kind. */
  readonly valuesMax?: number | undefined;
}

/** The body of a POST, PUT or DELETE as an object. @throws ApiError */
export function parseObjectBody(
  request: ApiRequest,
  context: BodyContext,
  options: ObjectBodyOptions = {},
): ParsedBody {
  const parsed = parseByType(request, context, options);
  request.trail?.requestObject(parsed.object);
  return parsed;
}

function parseByType(
  request: ApiRequest,
  { registry, encodings }: BodyContext,
  { findDuplicates = false, valuesMax }: ObjectBodyOptions,
): ParsedBody {
  const bytes = request.body ?? new Uint8Array();
  assertBodySize(bytes);
  const accepted = withCbor(readTypes, cborContentType, encodings);
  const mediaType = mediaTypeOf(request.headers["content-type"], accepted);
  if (!accepted.includes(mediaType)) throw unsupportedMediaType(accepted);
  switch (mediaType) {
    case "application/json": {
      const object = requireObject(parseJson(bytes, valuesMax));
      return { object, duplicates: findDuplicates ? findDuplicateKeys(Buffer.from(bytes).toString("utf8")) : [] };
    }
    case "application/yaml":
      return { object: requireObject(readYaml(bytes, valuesMax)), duplicates: [] };
    case cborContentType:
      return { object: requireMap(readCbor(bytes, { valuesMax, fault: kindFault }), kindFault), duplicates: [] };
    default: {
      const object = decodeProtobuf(bytes, registry.describe, valuesMax);
      assertValueDepth(object);
      assertPlainKeys(object);
      return { object, duplicates: [] };
    }
  }
}

/** The messages of faults in CBOR begin like upstream's. */
const [kindFault, applyFault] = ["unable to determine group/version/kind: ", "error decoding CBOR: "] as const;

function readCbor(bytes: Uint8Array, options: { valuesMax: number | undefined; fault: string }): JsonValue {
  const value = decodeCbor(bytes, options);
  assertPlainKeys(value);
  return value;
}

function requireMap(value: JsonValue, fault: string): JsonObject {
  if (!isJsonObject(value)) throw badRequest(`${fault}cbor: the body is not a map`);
  return value;
}

/** The list with CBOR's media type at its end, where CBOR is accepted. */
function withCbor(types: readonly string[], cborType: string, { cbor }: Pick<Encodings, "cbor">): readonly string[] {
  return cbor ? [...types, cborType] : types;
}

/** The media types of bodies of a kind. Protobuf needs the field numbers of a Go type. */
export function bodyTypesOf(
  { exceptions }: Pick<Kind, "exceptions">,
  encodings: Pick<Encodings, "cbor">,
): readonly string[] {
  return withCbor(exceptions.schemaIsData === true ? dataBodyTypes : readTypes, cborContentType, encodings);
}

const allPatchTypes = Object.keys(patchContentTypes).filter((mediaType) => mediaType !== cborApplyType);
const dataPatchTypes = allPatchTypes.filter((mediaType) => !mediaType.includes("strategic"));

/**
 * The media types of patches of a kind. A strategic merge patch needs the merge keys of Go types.
 */
export function patchTypesOf(
  { exceptions }: Pick<Kind, "exceptions">,
  encodings: Pick<Encodings, "cbor">,
): readonly string[] {
  return withCbor(exceptions.schemaIsData === true ? dataPatchTypes : allPatchTypes, cborApplyType, encodings);
}

/** The type of a PATCH, which is one of `allowed`. @throws ApiError UnsupportedMediaType */
export function patchTypeOf(request: ApiRequest, allowed: readonly string[]): PatchType {
  const mediaType = mediaTypeOf(request.headers["content-type"], allowed);
  if (!allowed.includes(mediaType)) throw unsupportedMediaType(allowed);
  return patchContentTypes[mediaType as keyof typeof patchContentTypes];
}

/** The body of a PATCH other than apply, of at most `valuesMax` values. @throws ApiError */
export function parsePatchBody(request: ApiRequest, valuesMax?: number): JsonValue {
  const bytes = request.body ?? new Uint8Array();
  assertBodySize(bytes);
  const patch = parseJson(bytes, valuesMax);
  request.trail?.requestObject(patch);
  return patch;
}

/**
 * The body of an apply in CBOR, of at most `valuesMax` values; undefined where it is in YAML.
 * @throws ApiError
 */
export function parseCborApply(request: ApiRequest, valuesMax: number): JsonObject | undefined {
  const bytes = request.body ?? new Uint8Array();
  if (mediaTypeOf(request.headers["content-type"], []) !== cborApplyType) return undefined;
  assertBodySize(bytes);
  return requireMap(readCbor(bytes, { valuesMax, fault: applyFault }), applyFault);
}

export function assertBodySize(bytes: Uint8Array): void {
  if (bytes.byteLength > bodyBytesMax) {
    throw requestTooLarge(`Request entity too large: limit is ${bodyBytesMax}`);
  }
}

function readYaml(bytes: Uint8Array, valuesMax: number | undefined): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const { value, duplicates } = parseJsonAsYaml(text, valuesMax) ?? parseYamlBody(text, "");
  if (duplicates.length > 0) throw badRequest(`error converting YAML to JSON: yaml: ${duplicates.join(", ")}`);
  return value;
}

function requireObject(value: JsonValue): JsonObject {
  if (!isJsonObject(value))
    throw badRequest("couldn't get version/kind; json parse error: the body is not a JSON object");
  return value;
}
