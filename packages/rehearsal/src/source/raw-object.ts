/** An object of a source before it is known to be of a kind. */
export interface RawObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/** The contents of one text of a source. */
export interface RawDocuments {
  readonly objects: readonly RawObject[];
  /** Kinds of typed lists: such a list says how many objects there are, also when it is empty. */
  readonly listed: readonly ListedKind[];
}

/** A kind of which a source has a whole list, or the refusal of one. */
export interface ListedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The reason why the list is absent; undefined where it is present. */
  readonly refused?: string;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
