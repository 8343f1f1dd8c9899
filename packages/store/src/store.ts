/**
 * The revisioned key-value log that stores the whole cluster. It handles keys and bytes, never
 * kinds.
 *
 * A key is `<group or core>/<resource>/<namespace or _>/<name>`; its first two parts are the
 * *resource*, for which watch windows and floors are kept. Reads are synchronous: the current
 * entries are in memory.
 */
export interface Store {
  /** The ID of the data directory, which is made once and never changes. */
  readonly clusterId: string;
  /** Changes when a backup is restored. Revisions of another history are meaningless here. */
  readonly historyId: string;
  /**
   * The revision at which this history began: 0, or the start of a restored backup. Earlier changes
   * are unknown.
   */
  readonly historyStart: number;

  /** The last committed revision; 0 before the first write. */
  revision(): number;
  find(key: string): Entry | undefined;
  /**
   * Lists the entries whose key starts with `prefix`, ordered by key.
   * @throws RevisionExpired when `options.revision` is older than the window of that resource.
   */
  list(prefix: string, options?: ListOptions): Page;
  /** Counts the live keys that start with `prefix`. */
  count(prefix: string): number;

  /**
   * Changes one key. `change` is called when the write's batch is formed, with the entry at that
   * moment (durable or earlier in the same batch). It must be pure and synchronous: it is called
   * again when another writer of the log was first, and the last call counts. After any decision,
   * including `keep` and `refuse`, the answer arrives only after everything that it could read is
   * durable.
   * @throws the error that `change` returned under `refuse`.
   * @throws StoreFull while the disk has too little room, unless `options.important`; nothing was
   * written.
   * @throws StoreUnavailable or CommitTimeout when a shared log did not accept the write in time.
   * @throws ObjectTooLarge
   * @throws OutcomeUnknown when the disk failed: it is unknown whether the write exists after a
   * restart, and the store stops working.
   */
  update<R>(
    key: string,
    change: (current: Entry | undefined, reader: StoreReader) => Change<R>,
    options?: UpdateOptions,
  ): Promise<Committed<R>>;

  /**
   * The changes of `resource` after `revision`, oldest first, for resuming a watch.
   * @throws RevisionExpired if a change of this resource after `revision` is no longer kept.
   */
  changesSince(resource: string, revision: number): readonly CommittedChange[];
  /** The newest revision that changed `resource`; 0 if the resource never changed. */
  lastRevisionOf(resource: string): number;
  /**
   * Calls `listener` once per committed batch, in revision order, after memory shows the batch and
   * before its writers are answered. Returns a function that removes the listener. A listener must
   * not throw.
   */
  subscribe(listener: (changes: readonly CommittedChange[]) => void): () => void;

  /**
   * Resolves when memory shows everything that was acknowledged by any replica before the call. It
   * is undefined without other replicas, because memory is then always current.
   * @throws StoreUnavailable when this state cannot be proven in time.
   */
  fresh(): Promise<void> | undefined;
  /**
   * Resolves when memory has reached a revision that another replica may have returned.
   * @throws StoreUnavailable when memory does not reach it within `timeoutMs`.
   */
  reached(revision: number, timeoutMs: number): Promise<void>;

  /** Rejects when the store has failed permanently; the process should exit. Never resolves. */
  readonly failed: Promise<never>;
  /** Drops history that no window needs. It runs concurrently with reads and writes. */
  compact(): Promise<CompactionResult>;
  /**
   * Reads all records again and compares them with the written records. It runs concurrently with
   * reads and writes, but never during a compaction.
   * @throws StoreCorrupt naming the record that differs. The store has then failed.
   */
  scrub(): Promise<ScrubResult>;
  close(): Promise<void>;
}

/**
 * The view of `change` on other keys: memory plus the writes already in the batch. It reads up to
 * 128 keys.
 */
export interface StoreReader {
  find(key: string): Entry | undefined;
  /** The entries under a prefix, for rules such as "nothing new in a terminating namespace". */
  count(prefix: string): number;
  /**
   * The writes decided before this write in the same batch, oldest first; this does not read a key.
   */
  written(): readonly CommittedChange[];
}

/** A stored object: its bytes, and the fields that lists and indexes need. */
export interface Entry {
  readonly key: string;
  /** The revision of the last change. */
  readonly revision: number;
  /** The object as JSON, including its revision. Must not be modified. */
  readonly value: Uint8Array;
  readonly index: EntryIndex;
  /** The value on the disk is sealed in an older way, so a write of the same value is a change. */
  readonly stale?: true;
}

/** Stored with the bytes, so that opening 100,000 objects does not parse them. */
export interface EntryIndex {
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Selectable fields: "spec.nodeName", "status.phase", "involvedObject.uid". */
  readonly fields?: Readonly<Record<string, string>>;
  /** UIDs of the owners. */
  readonly owners?: readonly string[];
  /** Wall time after which the api-server may delete the object (Events). */
  readonly expiresAtMs?: number;
  /** True when the object is being deleted. */
  readonly deleting?: boolean;
}

/**
 * An object as JSON in two parts, between which the store writes the revision as decimal digits.
 */
export interface EncodedObject {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
}

export type Change<R> =
  | { put: EncodedObject; index: EntryIndex; result: R }
  /**
   * `delete` contains the object's final state, which the record keeps at the delete's revision.
   */
  | { delete: EncodedObject; index: EntryIndex; result: R }
  /** The change does not write; the answer still waits until the observed state is durable. */
  | { keep: true; result: R }
  | { refuse: Error };

export interface Committed<R> {
  result: R;
  /**
   * The entry after the change: the new entry, the final entry of a delete, or for keep the
   * previous entry; undefined if the key of a keep does not exist.
   */
  entry: Entry | undefined;
  /** The revision of this change; for keep, the store's revision at the decision. */
  revision: number;
}

export interface CommittedChange {
  readonly revision: number;
  readonly resource: string;
  /** The revision of the previous change of the same resource; 0 for the first change. */
  readonly previousOfResource: number;
  readonly type: "put" | "delete";
  /** The new state; for a delete, the final state at the delete's revision. */
  readonly entry: Entry;
  /** The state of the key before the change. */
  readonly before: Entry | undefined;
  /**
   * The name of the replica that has made the change; absent for this replica, or a replica without
   * a name.
   */
  readonly writer?: string;
}

export interface ListOptions {
  /** Start after this key. */
  after?: string;
  /** Largest number of entries; default all. */
  limit?: number;
  /** The revision of the state that is listed; default now. */
  revision?: number;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** The revision that the page shows. */
  readonly revision: number;
  /** True when entries follow after the last entry. */
  readonly more: boolean;
  /** The number of entries after the last entry. */
  readonly remaining: number;
}

export interface UpdateOptions {
  /** Leases and deletes are accepted even when the disk is nearly full. */
  important?: boolean;
  /**
   * The write may wait some milliseconds for other writes to share its sync, because the cost of a
   * sync does not depend on its content. It is as durable as any other write when it is answered.
   * Default false.
   */
  patient?: boolean;
}

export interface ScrubResult {
  /** The number of records that were read. */
  records: number;
}

export interface CompactionResult {
  /**
   * The windows do not need the history up to here; a log may keep a part of this history longer.
   */
  floor: number;
  removed: number;
}

/** The requested history no longer exists, so the caller has to list again. */
export class RevisionExpired extends Error {
  override readonly name = "RevisionExpired";
}

/** The disk has too little room for this write; nothing was written. */
export class StoreFull extends Error {
  override readonly name = "StoreFull";
}

/** The disk failed during a write: it is unknown whether the write exists after a restart. */
export class OutcomeUnknown extends Error {
  override readonly name = "OutcomeUnknown";
}

/** The log cannot be reached now. A write was not made; a read may not be answered from memory. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/**
 * The log did not answer in time. The write may be in the log already, or appear later. The store
 * continues.
 */
export class CommitTimeout extends Error {
  override readonly name = "CommitTimeout";
}

/** The object is larger than the log accepts. */
export class ObjectTooLarge extends Error {
  override readonly name = "ObjectTooLarge";
}

/** The data directory is open in another process. */
export class StoreInUse extends Error {
  override readonly name = "StoreInUse";
}

/**
 * The data on disk differs from the written data, or does not belong to this program. The message
 * names the record or file.
 */
export class StoreCorrupt extends Error {
  override readonly name = "StoreCorrupt";
}

/** A value on the disk was sealed with a key that does not exist. The message names the object. */
export class ValueSealed extends Error {
  override readonly name = "ValueSealed";
}
