import { isTimestamp, parseTimestamp } from "@kintsugi/api";

/** An object of a source before its kind is known. */
export interface RawObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** One change of an object, as a watch has delivered it. */
export interface RecordedChange {
  /** The time on the clock of the machine that recorded the change. */
  readonly atMs: number;
  readonly is: "put" | "removed";
  readonly object: RawObject;
}

/** The contents of one text of a source. */
export interface RawDocuments {
  readonly objects: readonly RawObject[];
  /** Kinds of typed lists. Such a list states how many objects there are, even when it is empty. */
  readonly listed: readonly ListedKind[];
  /** The changes of a record, oldest first; absent if the text is not a record. */
  readonly observed?: readonly RecordedChange[];
}

/** A kind of which a source has a complete list, or a refusal. */
export interface ListedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The reason why the list is absent; undefined if it is present. */
  readonly refused?: string;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true for an object that names its kind and version. */
export function isRawObject(value: unknown): value is RawObject {
  return isRecord(value) && typeof value["kind"] === "string" && typeof value["apiVersion"] === "string";
}

/**
 * "apps Deployment shop web": an object that was created again under its name replaces the first.
 */
export function rawKeyOf({ apiVersion, kind, metadata }: RawObject): string {
  const { namespace, name } = isRecord(metadata) ? metadata : {};
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  return [group, kind, stringIn(namespace), stringIn(name)].join(" ");
}

/** Returns "" for a value that is not a string. */
export function stringIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Milliseconds since 1970; NaN for a value that is not a time. */
export function instantIn(value: unknown): number {
  return typeof value === "string" && isTimestamp(value) ? parseTimestamp(value) : Number.NaN;
}
