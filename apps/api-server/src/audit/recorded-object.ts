import type { JsonObject, JsonValue } from "@kintsugi/api";
import type { NamedObject } from "./audit-event.ts";
import { isJsonObject } from "../json-value.ts";

/** The identity that a body states about its object. */
export function namedIn(object: JsonValue): NamedObject {
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  if (!isJsonObject(metadata)) return {};
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof uid === "string" ? { uid } : {}),
    ...(typeof resourceVersion === "string" ? { resourceVersion } : {}),
  };
}

/** A copy without managedFields: of an object, of each item of a list, or of a Table's rows. */
export function withoutManagedFields(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = { ...value };
  const { metadata, items, rows } = value;
  if (isJsonObject(metadata)) {
    const { managedFields: _, ...kept } = metadata;
    copy["metadata"] = kept;
  }
  if (Array.isArray(items)) copy["items"] = items.map(withoutManagedFields);
  if (Array.isArray(rows)) {
    copy["rows"] = rows.map((row) =>
      isJsonObject(row) && row["object"] !== undefined ? { ...row, object: withoutManagedFields(row["object"]) } : row,
    );
  }
  return copy;
}

/** Size limit of the Status bodies that are parsed; the details of a rejection are much shorter. */
const statusBytesMax = 256 * 1024;

/** The `responseStatus` of an answer: the fields of a Status, and of other bodies only the code. */
export function responseStatusOf(code: number, body: Uint8Array | undefined): JsonObject {
  const status = body === undefined || body.byteLength > statusBytesMax ? undefined : readStatus(body);
  if (status === undefined) return { metadata: {}, code };
  const { status: outcome, message, reason, details } = status;
  return {
    metadata: {},
    ...(outcome === undefined ? {} : { status: outcome }),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/**
 * Every Status that this server writes begins with this text; a server behind a proxy may send any
 * text.
 */
function readStatus(body: Uint8Array): JsonObject | undefined {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  if (!text.startsWith('{"kind":"Status",')) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
