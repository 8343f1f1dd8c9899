import { canonicalJson, type JsonObject, type JsonValue, parseForeignJson } from "@kintsugi/api";
import { compareFields } from "../fields/compare-fields.ts";
import { without } from "../fields/field-set.ts";
import type { FieldType } from "../fields/field-type.ts";
import { tracked } from "../fields/tracked-fields.ts";
import { pathsOf } from "../fields/set-algebra.ts";
import { assertPlainKeys, assertValueDepth } from "../http/json-body.ts";
import { appliedFields } from "./applied-fields.ts";
import { isJsonObject } from "../json-value.ts";

/** The annotation in which client-side `kubectl apply` stores its last applied object. */
const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Paths of the fields that client-side `kubectl apply` set and that are unchanged since.
 * Server-side apply takes them over without a conflict.
 */
export function allowedByLastApplied(live: JsonObject, type: FieldType, apiVersion: string): ReadonlySet<string> {
  const last = parsed(annotationsOf(live)?.[lastAppliedAnnotation]);
  if (last?.["apiVersion"] !== apiVersion) return new Set();
  const { changed, removed } = compareFields(tracked(last), tracked(live), type);
  return new Set(pathsOf(without(without(appliedFields(tracked(last), type), changed), removed)));
}

/** Upstream's limit for all annotations together. */
const annotationsBytesMax = 256 * 1024;

/**
 * While the annotation exists, each server-side apply by kubectl updates it. It is removed when it
 * becomes too long.
 */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (annotations === undefined || typeof annotations[lastAppliedAnnotation] !== "string") return object;
  if (annotations[lastAppliedAnnotation] === "") return object;
  const updated = { ...annotations, [lastAppliedAnnotation]: lastAppliedText(applied) };
  const bytes = Object.entries(updated).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  const { [lastAppliedAnnotation]: _, ...rest } = updated;
  const metadata = object["metadata"] as JsonObject;
  return { ...object, metadata: { ...metadata, annotations: bytes > annotationsBytesMax ? rest : updated } };
}

/**
 * Writes the annotation as kubectl does: keys sorted, a line break at the end, and the characters
 * escaped that Go escapes in JSON.
 */
function lastAppliedText(applied: JsonObject): string {
  const annotations = annotationsOf(applied);
  const { [lastAppliedAnnotation]: _, ...kept } = annotations ?? {};
  const metadata = applied["metadata"] as JsonObject;
  const stated = annotations === undefined ? applied : { ...applied, metadata: { ...metadata, annotations: kept } };
  const escaped = canonicalJson(stated).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${escaped}\n`;
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { metadata } = object;
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

/** Any client may write any text into the annotation. */
function parsed(text: JsonValue | undefined): JsonObject | undefined {
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value = parseForeignJson(text) as JsonValue;
    assertValueDepth(value);
    assertPlainKeys(value);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
