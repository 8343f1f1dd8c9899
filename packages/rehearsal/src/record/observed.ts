import { formatMicroTime } from "@kintsugi/api";
import { instantOf, isRecord, type RawObject } from "../source/raw-object.ts";

/** The version of the documents that only rehearsals write and read. */
export const rehearsalVersion = "rehearsal.kintsugi.dev/v1";
/** The kind of a line of a record. */
export const observedKind = "Observed";

/** One change of an object, as a watch has shown it. */
export interface ObservedChange {
  /** By the clock of the machine that watched. */
  readonly atMs: number;
  readonly is: "put" | "removed";
  readonly object: RawObject;
}

export function observedLine({ atMs, is, object }: ObservedChange): string {
  return JSON.stringify({
    apiVersion: rehearsalVersion,
    kind: observedKind,
    at: formatMicroTime(atMs),
    is,
    object,
  });
}

/** Reads a line of a record; undefined where it is none. */
export function observedOf(document: Readonly<Record<string, unknown>>): ObservedChange | undefined {
  const { at, is, object } = document;
  const atMs = instantOf(at);
  if (!Number.isFinite(atMs) || (is !== "put" && is !== "removed") || !isRecord(object)) return undefined;
  if (typeof object["kind"] !== "string" || typeof object["apiVersion"] !== "string") return undefined;
  return { atMs, is, object: object as RawObject };
}
