/**
 * The clients' observations of a cluster, in a form that is independent of the place of recording:
 * in virtual time or on real processes. Times are milliseconds on one clock of the recorder, on
 * which no two stamps are equal (see `Journal`).
 */
export interface History {
  readonly calls: readonly Call[];
  readonly lists: readonly ListCall[];
  readonly watches: readonly WatchStream[];
  /**
   * The commits under the keys that the clients wrote, oldest first and complete; where the
   * recorder can know them.
   */
  readonly commits?: readonly Commit[];
  /**
   * The times at which the store was opened again: of history older than its windows it then kept
   * only the present state.
   */
  readonly openings?: readonly StoreOpening[];
  /** The state at the end, read when everything had settled. */
  readonly finals?: readonly FinalState[];
}

/**
 * An object as far as its writers care, by field path: `{ "data.count": "7", "labels.color": "red"
 * }`.
 */
export type Value = Readonly<Record<string, string>>;

/** Fields that must have exactly these texts; an empty one selects everything. */
export type Selector = Value;

export type Verb = "create" | "get" | "update" | "patch" | "delete";

/** One call on one object. */
export interface Call {
  readonly kind: "call";
  readonly client: string;
  readonly id: number;
  readonly verb: Verb;
  /** "core/configmaps/default/a". */
  readonly key: string;
  /** The object that a create or an update sends; for a patch, the fields that it sets. */
  readonly asked?: Value;
  readonly precondition?: Precondition;
  /** The field of a counter that this call makes one higher than its client had read it. */
  readonly increments?: string;
  readonly startMs: number;
  /** Infinity when no answer arrived: it may take effect at any time after its start, or never. */
  readonly endMs: number;
  readonly outcome: Outcome;
}

export interface Precondition {
  readonly revision?: number;
  readonly uid?: string;
}

export type Outcome =
  /** The object in the answer; a delete may have none. */
  | { readonly is: "ok"; readonly revision?: number; readonly uid?: string; readonly value?: Value }
  | Refused
  | { readonly is: "unknown"; readonly because: string };

interface Refused {
  readonly is: "refused";
  readonly status: number;
  readonly reason: string;
}

/** A list with all of its pages; those that came stay in it when a later one was refused. */
export interface ListCall {
  readonly kind: "list";
  readonly client: string;
  readonly id: number;
  readonly prefix: string;
  readonly selector?: Selector;
  /** The list was requested at exactly this revision. */
  readonly atRevision?: number;
  readonly pages: readonly ListedPage[];
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: { readonly is: "ok" } | Refused | { readonly is: "unknown"; readonly because: string };
}

export interface ListedPage {
  readonly revision: number;
  readonly items: readonly ListedItem[];
  readonly startMs: number;
  readonly endMs: number;
}

export interface ListedItem {
  readonly key: string;
  readonly revision: number;
  readonly value: Value;
}

/** One watch from its request to its end; the one that resumes it is another. */
export interface WatchStream {
  readonly kind: "watch";
  readonly client: string;
  readonly id: number;
  readonly prefix: string;
  readonly selector?: Selector;
  /**
   * The watch was requested for changes after this revision; never 0, which would request the
   * present state.
   */
  readonly fromRevision: number;
  readonly startMs: number;
  readonly endMs: number;
  /** The frames in the order in which they came. */
  readonly frames: readonly WatchFrame[];
  readonly end: WatchEnd;
}

/**
 * `expired`: refused with 410. `ahead`: refused with 504, the revision being in the future.
 * `refused`: for another reason. `broken`: the connection ended without a word. `closed`: either
 * side ended it in peace.
 */
export type WatchEnd = "closed" | "broken" | "expired" | "ahead" | "refused";

export type WatchFrame = WatchEvent | { readonly type: "BOOKMARK"; readonly revision: number; readonly atMs: number };

export interface WatchEvent extends ListedItem {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly atMs: number;
}

/** A change as the store keeps it. */
export interface Commit {
  readonly kind: "commit";
  readonly revision: number;
  readonly type: "put" | "delete";
  readonly key: string;
  /** The value; for a delete, that of the deleted object. */
  readonly value: Value;
  readonly uid?: string;
  /** The time of the commit, on the recorder's clock, where that is known. */
  readonly atMs?: number;
}

/** A process opened the store. */
export interface StoreOpening {
  readonly kind: "opening";
  readonly atMs: number;
}

/** The final state of one key; without an item, the key has no object. */
export interface FinalState {
  readonly kind: "final";
  readonly key: string;
  readonly item?: ListedItem;
}

/** A promise that this history breaks. */
export interface HistoryViolation {
  /** "calls-are-linearizable": a name of the table in test/simulation/README.md. */
  readonly invariant: string;
  readonly message: string;
}

export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  return valueText(one) === valueText(other);
}

/** The same text for the same fields, in any order. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function isSelected(value: Value, selector: Selector = {}): boolean {
  return Object.entries(selector).every(([field, text]) => value[field] === text);
}

export function isWrite({ verb }: Call): boolean {
  return verb !== "get";
}

/** "client-1#7 update core/configmaps/load/a". */
export function describeCall({ client, id, verb, key }: Call): string {
  return `${client}#${id} ${verb} ${key}`;
}
