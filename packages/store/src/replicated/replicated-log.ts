import type { BatchLimits } from "../commit/batch.ts";
import type { Entry, EntryIndex } from "../store.ts";

// A log that several replicas of the store append to and follow. There is no leader among them: an
// append names the head that its changes were decided over, and the log takes it only while that is
// still the head.
//
//   head of the log      7 ── A appends 8, 9 over 7 ──► 9
//   B decides 8' over 7  refused: it follows to 9, decides again, and appends 10 over 9
//
// Now and then a commit carries a mark, from which a replica that starts can read the state and
// then follow: so it has the same windows as the others, and knows what each change replaced.

/** The end of the log. Two heads are the same if all of this is. */
export interface LogHead {
  readonly clusterId: string;
  readonly historyId: string;
  readonly historyStart: number;
  readonly revision: number;
  /** A name of the commit that made this head: its writer, if that has a name, and a drawn part. */
  readonly nonce: string;
}

/** Returns a name for a commit. A writer's name has no space. */
export function nonceOf(writer: string | undefined, drawn: string): string {
  return writer === undefined ? drawn : `${writer} ${drawn}`;
}

/** Returns the name of a commit's writer; undefined where it has none. */
export function writerOf({ nonce }: Pick<LogHead, "nonce">): string | undefined {
  const end = nonce.indexOf(" ");
  return end < 0 ? undefined : nonce.slice(0, end);
}

/** A change as it is kept. The value of a delete is the final state. */
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
  /** The changes in the order of their revisions; the last revision is the head's. */
  readonly changes: readonly LoggedChange[];
  readonly mark: LogMark | undefined;
}

/** The log's own name of a place behind a commit. */
export type LogPosition = string;

export interface LogFollower {
  /** Called for each commit behind the position, once and in order. It must not throw. */
  commit(commit: LogCommit, position: LogPosition): void;
  /**
   * The log can no longer be followed from here: its history no longer exists. It is called last.
   */
  failed(error: Error): void;
}

export interface ReplicatedLog {
  readonly limits: BatchLimits;
  /**
   * Makes an empty log begin with `first`, and returns the head that it has.
   * @throws LogUnreachable
   */
  begin(first: LogHead, mark: LogMark): Promise<LogHead>;
  /**
   * Puts entries into an empty log, and then makes it begin with `first`: half a log has no head.
   * @throws Error when the log is not empty, LogUnreachable; half of it may be there then.
   */
  fill(first: LogHead, mark: LogMark, pages: AsyncIterable<readonly Entry[]>): Promise<void>;
  /**
   * Returns the newest mark that is not younger than `atMs`, or the oldest.
   * @throws LogUnreachable
   */
  markAt(atMs: number): Promise<{ mark: LogMark; position: LogPosition }>;
  /**
   * The entries at a position, in pages ordered by key.
   * @throws LogUnreachable, Error when the position is compacted away.
   */
  entriesAt(position: LogPosition): AsyncIterable<readonly Entry[]>;
  /** Follows the log through losses of the connection until the returned function is called. */
  follow(position: LogPosition, follower: LogFollower): () => void;
  /**
   * The head, with everything that was appended anywhere before the call.
   * @throws LogUnreachable
   */
  head(): Promise<LogHead>;
  /**
   * Appends if the head is `expected`; undefined if it is not.
   * @throws LogUnreachable when no answer came: the commit may be appended or not, or may be later;
   * StoreFull when there is no room for any commit: it is not appended.
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
