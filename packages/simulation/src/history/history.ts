/**
 * The clients' observations of a cluster, in a form that is independent of the place of recording:
 * in virtual time or on real processes. Times are milliseconds on the recorder's clock, whose
 * stamps are all different (see `Journal`).
 */
export interface History {
  readonly calls: readonly Call[];
  readonly lists: readonly ListCall[];
  readonly watches: readonly WatchStream[];
  /**
   * The commits of the keys that the clients wrote, oldest first and complete, if the recorder can
   * read them.
   */
  readonly commits?: readonly Commit[];
  /**
   * The times at which the store was opened again; after that, it retained only the present state
   * of older history.
   */
  readonly openings?: readonly StoreOpening[];
  /** The state at the end, read when everything had settled. */
  readonly finals?: readonly FinalState[];
}

/**
 * The fields of an object that its writers set, by field path: `{ "data.count": "7",
 * "labels.color": "red" }`.
 */
export type Value = Readonly<Record<string, string>>;

/** Fields that must have exactly these strings; an empty selector selects everything. */
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
  /** The object in a create or an update; for a patch, the fields that it sets. */
  readonly asked?: Value;
  readonly precondition?: Precondition;
  /** The counter field that this call sets to the value that its client read plus one. */
  readonly increments?: string;
  readonly startMs: number;
  /**
   * Infinity if no response arrived: the call may take effect at any time after its start, or
   * never.
   */
  readonly endMs: number;
  readonly outcome: Outcome;
}

export interface Precondition {
  readonly revision?: number;
  readonly uid?: string;
}

export type Outcome =
  /** The object in the response; a delete may not have an object. */
  | { readonly is: "ok"; readonly revision?: number; readonly uid?: string; readonly value?: Value }
  | Refused
  | { readonly is: "unknown"; readonly because: string };

interface Refused {
  readonly is: "refused";
  readonly status: number;
  readonly reason: string;
}

/** A list with all of its pages; received pages are retained if a later page was rejected. */
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

/** One watch from its request to its end; its resumption is another watch. */
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
  /** The frames in the order of their arrival. */
  readonly frames: readonly WatchFrame[];
  readonly end: WatchEnd;
}

/**
 * `expired`: rejected with 410. `ahead`: rejected with 504 because the revision is in the future.
 * `refused`: rejected for another reason. `broken`: the connection broke. `closed`: either side
 * ended it normally.
 */
export type WatchEnd = "closed" | "broken" | "expired" | "ahead" | "refused";

export type WatchFrame = WatchEvent | { readonly type: "BOOKMARK"; readonly revision: number; readonly atMs: number };

export interface WatchEvent extends ListedItem {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly atMs: number;
}

/** A change as stored. */
export interface Commit {
  readonly kind: "commit";
  readonly revision: number;
  readonly type: "put" | "delete";
  readonly key: string;
  /** The value; for a delete, the value of the deleted object. */
  readonly value: Value;
  readonly uid?: string;
  /** The time of the commit on the recorder's clock, if known. */
  readonly atMs?: number;
}

/** A process opened the store. */
export interface StoreOpening {
  readonly kind: "opening";
  readonly atMs: number;
}

/** The final state of one key; without an item, the object does not exist. */
export interface FinalState {
  readonly kind: "final";
  readonly key: string;
  readonly item?: ListedItem;
}

/** A property that this history violates. */
export interface HistoryViolation {
  /** "calls-are-linearizable": a name in the table of test/simulation/README.md. */
  readonly invariant: string;
  readonly message: string;
}

export function sameValue(one: Value | undefined, other: Value | undefined): boolean {
  return valueText(one) === valueText(other);
}

/** Equal for equal fields, in any order. */
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
