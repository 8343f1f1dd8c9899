import { formatMicroTime } from "@kintsugi/api";
import { instantIn, isRecord, type RawObject, type RecordedChange } from "./raw-object.ts";

/** The version of the documents that only rehearsals write and read. */
export const rehearsalVersion = "rehearsal.kintsugi.dev/v1";
/** The kind of a line of a record. */
export const observedKind = "Observed";

export function observedLine({ atMs, is, object }: RecordedChange): string {
  return JSON.stringify({
    apiVersion: rehearsalVersion,
    kind: observedKind,
    at: formatMicroTime(atMs),
    is,
    object,
  });
}

/** Reads a line of a record; undefined for another line. */
export function observedOf(document: Readonly<Record<string, unknown>>): RecordedChange | undefined {
  const { at, is, object } = document;
  const atMs = instantIn(at);
  if (!Number.isFinite(atMs) || (is !== "put" && is !== "removed") || !isRecord(object)) return undefined;
  if (typeof object["kind"] !== "string" || typeof object["apiVersion"] !== "string") return undefined;
  return { atMs, is, object: object as RawObject };
}
