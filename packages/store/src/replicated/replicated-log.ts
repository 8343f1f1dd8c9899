import type { BatchLimits } from "../commit/batch.ts";
import type { Entry, EntryIndex } from "../store.ts";

// A log that several replicas of the store append to and follow. The replicas have no leader: an
// append names the head over which its changes were decided, and the log accepts the append only
// while this head is the last.
//
//   head of the log      7 ── A appends 8, 9 over 7 ──► 9
//   B decides 8' over 7  rejected: it follows to 9, decides again, and appends 10 over 9
//
// Periodically a commit carries a mark, from which a starting replica can read the state and then
// follow. So the replica has the same windows as the other replicas, and records what each change
// replaced.

/** The end of the log. Two heads are the same if all of their fields are equal. */
export interface LogHead {
  readonly clusterId: string;
  readonly historyId: string;
  readonly historyStart: number;
  readonly revision: number;
  /**
   * A name of the commit that made this head: its writer's name, if the writer has one, and a
   * random part.
   */
  readonly nonce: string;
}

/** Returns a name for a commit. A writer's name must not contain spaces. */
export function nonceOf(writer: string | undefined, drawn: string): string {
  return writer === undefined ? drawn : `${writer} ${drawn}`;
}

/** Returns the name of a commit's writer; undefined without a name. */
export function writerOf({ nonce }: Pick<LogHead, "nonce">): string | undefined {
  const end = nonce.indexOf(" ");
  return end < 0 ? undefined : nonce.slice(0, end);
}

/** A change as it is stored. The value of a delete is the final state. */
export interface LoggedChange {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: number;
  readonly value: Uint8Array;
  readonly index: EntryIndex;
  /** The value is sealed in an older way than this replica would seal it. */
  readonly stale?: true;
}

/** A place in the log at which a replica may start. */
export interface LogMark {
  /** Wall time of the writer. */
  readonly atMs: number;
  readonly revision: number;
  /** The newest change of each resource. */
  readonly lastRevisions: Readonly<Record<string, number>>;
}

export interface LogCommit {
  readonly head: LogHead;
  /** The changes in the order of their revisions. The last revision is the head's. */
  readonly changes: readonly LoggedChange[];
  readonly mark: LogMark | undefined;
}

/** The log's own name of a position after a commit. */
export type LogPosition = string;

export interface LogFollower {
  /** Called for each commit after the position, once and in order. It must not throw. */
  commit(commit: LogCommit, position: LogPosition): void;
  /**
   * The log can no longer be followed from here, because its history no longer exists. This is the
   * last call.
   */
  failed(error: Error): void;
}

export interface ReplicatedLog {
  readonly limits: BatchLimits;
  /**
   * Makes an empty log begin with `first`, and returns its head.
   * @throws LogUnreachable
   */
  begin(first: LogHead, mark: LogMark): Promise<LogHead>;
  /**
   * Writes entries into an empty log, and then makes it begin with `first`, so that an incomplete
   * log has no head.
   * @throws Error when the log is not empty; LogUnreachable, in which case a part of the entries
   * may be written.
   */
  fill(first: LogHead, mark: LogMark, pages: AsyncIterable<readonly Entry[]>): Promise<void>;
  /**
   * Returns the newest mark that was made at or before `atMs`, or the oldest mark.
   * @throws LogUnreachable
   */
  markAt(atMs: number): Promise<{ mark: LogMark; position: LogPosition }>;
  /**
   * The entries at a position, in pages ordered by key.
   * @throws LogUnreachable, Error when the position is compacted away.
   */
  entriesAt(position: LogPosition): AsyncIterable<readonly Entry[]>;
  /** Follows the log across connection losses until the returned function is called. */
  follow(position: LogPosition, follower: LogFollower): () => void;
  /**
   * The head, including everything that any replica appended before the call.
   * @throws LogUnreachable
   */
  head(): Promise<LogHead>;
  /**
   * Appends if the head is `expected`; undefined otherwise.
   * @throws LogUnreachable when an answer did not arrive, so that the commit may be appended
   * already, later, or never; StoreFull when the log is too full, so that the commit is not
   * appended.
   */
  append(expected: LogHead, commit: LogCommit): Promise<LogPosition | undefined>;
  /** True while the log has room for important writes only. */
  isFull(): boolean;
  /**
   * Drops the history before the newest mark at or before `revision`.
   * @throws LogUnreachable
   */
  compact(revision: number): Promise<{ removed: number }>;
  close(): Promise<void>;
}

/** The log did not answer in time, or has no majority of its members. */
export class LogUnreachable extends Error {
  override readonly name = "LogUnreachable";
}
