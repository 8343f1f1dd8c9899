import { strict as assert } from "node:assert";
import { backoffDelayMs, type Clock, onAbort, type Random } from "@kintsugi/clock";
import type { AppendOutcome } from "../commit/committer.ts";
import type { StoreLog } from "../commit/logged-store.ts";
import { resourceOfKey } from "../object-key.ts";
import type { StoreState } from "../state/store-state.ts";
import {
  type CommittedChange,
  type CompactionResult,
  type Entry,
  type ScrubResult,
  StoreCorrupt,
  StoreFull,
  StoreUnavailable,
} from "../store.ts";
import {
  type LogCommit,
  type LoggedChange,
  type LogHead,
  type LogPosition,
  LogUnreachable,
  nonceOf,
  type ReplicatedLog,
  writerOf,
} from "./replicated-log.ts";

export interface ReplicaDeps {
  log: ReplicatedLog;
  state: StoreState;
  clock: Clock;
  random: Random;
  readonly shown: ShownChanges;
}

/** The store around a replica. */
export interface ShownChanges {
  /** Shows changes that were committed, by this replica or another, to readers and listeners. */
  show(changes: readonly CommittedChange[]): void;
  /** The log can no longer be followed. */
  fail(error: Error): void;
}

export interface ReplicaOptions {
  /** Time after the last mark at which a commit carries the next mark. */
  markIntervalMs: number;
  /** This replica's name in its commits. */
  writer: string | undefined;
}

export interface ReplicaStart {
  head: LogHead;
  position: LogPosition;
  markAtMs: number;
}

/** Time that a read waits for the proof that memory is current, as in upstream. */
const freshnessTimeoutMs = 3_000;
/** The delays between the attempts of an unanswered append. */
const appendBackoff = { initialMs: 50, maxMs: 1_000, factor: 2 };

interface PendingAppend {
  /** The head over which the append is decided. */
  readonly after: number;
  readonly nonce: string;
  settle(outcome: AppendOutcome): void;
}

/**
 * The log of one replica. Commits of all replicas arrive by following the log, which also settles
 * an append whose answer is lost, because the nonce of the commit after its head shows which
 * replica made the commit.
 */
export class Replica implements StoreLog {
  readonly #deps: ReplicaDeps;
  readonly #options: ReplicaOptions;
  readonly #closed = new AbortController();
  #head: LogHead;
  #position: LogPosition;
  #markAtMs: number;
  #pending: PendingAppend | undefined;
  #stopFollowing: () => void = () => {};
  /** Wakes the waiters for a revision, which are as many as the requests in flight. */
  readonly #waiting = new Set<() => void>();
  #reading: Promise<void> | undefined;
  #queuedRead: Promise<void> | undefined;

  constructor(deps: ReplicaDeps, options: ReplicaOptions, start: ReplicaStart) {
    this.#deps = deps;
    this.#options = options;
    this.#head = start.head;
    this.#position = start.position;
    this.#markAtMs = start.markAtMs;
  }

  /** Begins to follow; a second call follows again from the revision of memory. */
  follow(): void {
    this.#stopFollowing();
    this.#stopFollowing = this.#deps.log.follow(this.#position, {
      commit: (commit, position) => this.#receive(commit, position),
      failed: (error) => this.#deps.shown.fail(error),
    });
  }

  /** Appends over the state that memory shows. */
  async append(changes: readonly CommittedChange[]): Promise<AppendOutcome> {
    const expected = this.#head;
    const first = changes[0]?.revision;
    assert(first === expected.revision + 1, `revision ${first} is appended to ${expected.revision}`);
    const revision = changes.at(-1)?.revision ?? expected.revision;
    const head = { ...expected, revision, nonce: nonceOf(this.#options.writer, this.#deps.random.uuid()) };
    const commit = { head, changes: changes.map(loggedChangeOf), mark: this.#markOf(changes) };
    let settle: (outcome: AppendOutcome) => void = () => {};
    const seen = new Promise<AppendOutcome>((resolve) => (settle = resolve));
    this.#pending = { after: expected.revision, nonce: head.nonce, settle };
    try {
      return await this.#unlessClosed(this.#settle(expected, commit, seen));
    } finally {
      this.#pending = undefined;
    }
  }

  /**
   * Resolves when memory shows everything that was acknowledged by any replica before the call. One
   * read of the head is shared by all calls that arrived before it was sent.
   * @throws StoreUnavailable when this state cannot be proven in time.
   */
  fresh(): Promise<void> {
    this.#queuedRead ??= this.#readAfterCurrent();
    return this.#queuedRead;
  }

  /**
   * Does what `fresh` does, for a replica that opens. The changes of its windows may take longer to
   * arrive than a read waits, so only a wait without an arriving change counts.
   * @throws StoreUnavailable
   */
  async caughtUp(): Promise<void> {
    for (;;) {
      const { revision } = this.#deps.state;
      try {
        return await this.fresh();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || this.#deps.state.revision === revision) throw error;
      }
    }
  }

  /** @throws StoreUnavailable when memory does not reach the revision in time. */
  reached(revision: number, timeoutMs: number): Promise<void> {
    const { state } = this.#deps;
    if (state.revision >= revision) return Promise.resolve();
    return this.#inTime(timeoutMs, `the changes up to revision ${revision}`, (stop) => {
      return new Promise((resolve) => {
        const look = () => {
          if (state.revision < revision && !stop.aborted) return;
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
        onAbort(stop, look);
      });
    });
  }

  isFull(): boolean {
    return this.#deps.log.isFull();
  }

  get limits() {
    return this.#deps.log.limits;
  }

  async compact(floor: number): Promise<CompactionResult> {
    try {
      const { removed } = await this.#deps.log.compact(floor);
      return { floor, removed };
    } catch (error) {
      // The history remains until the next compaction, which does not affect readers.
      if (error instanceof LogUnreachable) return { floor, removed: 0 };
      throw error;
    }
  }

  async scrub(): Promise<ScrubResult> {
    const expected = new Map(this.#deps.state.list("", {}).entries.map((entry) => [entry.key, entry]));
    let records = 0;
    try {
      for await (const page of this.#deps.log.entriesAt(this.#position)) {
        for (const entry of page) {
          assertSame(expected.get(entry.key), entry);
          expected.delete(entry.key);
          records++;
        }
      }
    } catch (error) {
      // The log could not be reached, so records were not verified.
      if (error instanceof LogUnreachable) return { records: 0 };
      throw error;
    }
    for (const entry of expected.values()) assertSame(entry, undefined);
    return { records };
  }

  /** Appends that wait for the log end with an error, because the log is no longer followed. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(new Error("the store is closed"));
    this.#stopFollowing();
    for (const look of this.#waiting) look();
    await this.#deps.log.close();
  }

  async #settle(expected: LogHead, commit: LogCommit, seen: Promise<AppendOutcome>): Promise<AppendOutcome> {
    const { clock, log } = this.#deps;
    for (let failures = 1; ; failures++) {
      this.#closed.signal.throwIfAborted();
      const tried = log.append(expected, commit).then(
        (position) => position ?? ("lost" as const),
        (error: unknown) => {
          // An earlier unanswered copy may still be in flight.
          const isUnknown = error instanceof LogUnreachable || (error instanceof StoreFull && failures > 1);
          if (isUnknown) return "unanswered" as const;
          throw error;
        },
      );
      const outcome = await Promise.race([seen, tried.then((result) => ({ result }))]);
      if (typeof outcome === "string") return outcome;
      const { result } = outcome;
      if (result === "lost") return await this.#followUntil(seen);
      if (result !== "unanswered") {
        this.#advance(commit, result);
        return "appended";
      }
      // The same commit may be sent twice, but over one head only one copy is accepted.
      const meanwhile = await Promise.race([seen, clock.sleep(backoffDelayMs(failures, appendBackoff))]);
      if (meanwhile !== undefined) return meanwhile;
    }
  }

  /**
   * A commit was first, either another commit or an earlier copy of this commit. Following the log
   * shows which.
   */
  async #followUntil(seen: Promise<AppendOutcome>): Promise<AppendOutcome> {
    for (;;) {
      this.#closed.signal.throwIfAborted();
      const stop = new AbortController();
      const pause = this.#deps.clock.sleep(freshnessTimeoutMs, stop.signal).catch(() => {});
      const outcome = await Promise.race([seen, pause]);
      stop.abort();
      if (outcome !== undefined) return outcome;
      this.follow();
    }
  }

  #unlessClosed<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#closed;
    return new Promise((resolve, reject) => {
      const stop = onAbort(signal, () => reject(signal.reason as Error));
      if (signal.aborted) reject(signal.reason as Error);
      work.then(resolve, reject).finally(stop);
    });
  }

  #receive(commit: LogCommit, position: LogPosition): void {
    const { state } = this.#deps;
    const { head } = commit;
    try {
      assertFollows(commit, { head: this.#head, revision: state.revision });
      // The replica's own commits are usually already shown.
      if (head.revision > state.revision) this.#deps.shown.show(committedChanges(commit, state));
    } catch (error) {
      this.#deps.shown.fail(error as Error);
      return;
    }
    if (head.revision >= this.#head.revision) this.#advance(commit, position);
    const pending = this.#pending;
    if (pending !== undefined && head.revision > pending.after) {
      pending.settle(head.nonce === pending.nonce ? "appended" : "overtaken");
    }
    for (const look of this.#waiting) look();
  }

  #advance({ head, mark }: LogCommit, position: LogPosition): void {
    this.#head = head;
    this.#position = position;
    if (mark !== undefined) this.#markAtMs = mark.atMs;
  }

  #markOf(changes: readonly CommittedChange[]) {
    const atMs = this.#deps.clock.nowMs();
    if (atMs - this.#markAtMs < this.#options.markIntervalMs) return undefined;
    const lastRevisions = this.#deps.state.lastRevisions();
    for (const { resource, revision } of changes) lastRevisions[resource] = revision;
    return { atMs, revision: changes.at(-1)?.revision ?? 0, lastRevisions };
  }

  async #readAfterCurrent(): Promise<void> {
    // Calls of the same turn share the read, and so do calls that arrive while a read is in flight.
    await this.#reading?.catch(() => {});
    this.#queuedRead = undefined;
    this.#reading = this.#read();
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { log, state } = this.#deps;
    const before = state.revision;
    const head = await this.#inTime(freshnessTimeoutMs, "the head of the log", () => log.head());
    if (head.historyId !== this.#head.historyId || head.revision < before) {
      const error = new StoreCorrupt(
        `the log is at revision ${head.revision} of history ${head.historyId}, behind ${before} of ${this.#head.historyId}: it was restored or has lost data; restart this server`,
      );
      this.#deps.shown.fail(error);
      throw error;
    }
    try {
      await this.reached(head.revision, freshnessTimeoutMs);
      // The head of a mark does not have a nonce.
      if (this.#head.nonce === "" && head.revision === this.#head.revision) this.#head = head;
    } catch (error) {
      // The connection may be dead without an error.
      this.follow();
      throw error;
    }
  }

  /** @throws StoreUnavailable after the time limit, or when the log is not reachable. */
  async #inTime<T>(timeoutMs: number, what: string, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const late = this.#deps.clock.sleep(timeoutMs, stop.signal).then(
      () => new StoreUnavailable(`${what} did not arrive within ${timeoutMs / 1000} s`),
      () => new StoreUnavailable("the wait has ended"),
    );
    try {
      const answer = await this.#unlessClosed(Promise.race([work(stop.signal), late]));
      if (answer instanceof StoreUnavailable) throw answer;
      return answer;
    } catch (error) {
      if (!(error instanceof LogUnreachable)) throw error;
      throw new StoreUnavailable(`${what} cannot be read: ${error.message}`, { cause: error });
    } finally {
      stop.abort(new Error("the wait has ended"));
    }
  }
}

/** @throws StoreCorrupt when the commit is neither the next commit nor already shown. */
function assertFollows({ head, changes }: LogCommit, known: { head: LogHead; revision: number }): void {
  const wrong = (what: string) =>
    new StoreCorrupt(
      `the log has revision ${head.revision} ${what}: restart this server, which then reads the log again`,
    );
  if (head.historyId !== known.head.historyId)
    throw wrong(`of the history ${head.historyId}, not ${known.head.historyId}`);
  if (head.revision === known.head.revision && head.nonce !== known.head.nonce) throw wrong("twice, by two writers");
  if (head.revision <= known.revision) return;
  const expected = changes.every((change, i) => change.revision === known.revision + 1 + i);
  if (!expected || changes.length !== head.revision - known.revision)
    throw wrong(`behind ${known.revision}, and lacks changes`);
}

/** @throws StoreCorrupt when the entry in memory differs from the entry in the log. */
function assertSame(own: Entry | undefined, logged: Entry | undefined): void {
  const isSame = own !== undefined && logged !== undefined && own.revision === logged.revision;
  if (isSame && Buffer.compare(own.value, logged.value) === 0) return;
  const key = (own ?? logged)?.key;
  throw new StoreCorrupt(
    `${key} in the log differs from memory: restart this server; restore a backup if this happens again`,
  );
}

function loggedChangeOf({ type, revision, entry }: CommittedChange): LoggedChange {
  return { type, key: entry.key, revision, value: entry.value, index: entry.index };
}

/** The changes as this replica's own commit would have made them, with the name of their writer. */
function committedChanges({ head, changes }: LogCommit, state: StoreState): CommittedChange[] {
  const writer = writerOf(head);
  const named = writer === undefined ? {} : { writer };
  const lastRevisions = new Map<string, number>();
  const entries = new Map<string, CommittedChange["before"]>();
  return changes.map(({ type, key, revision, value, index, stale }) => {
    const resource = resourceOfKey(key);
    const entry = { key, revision, value, index, ...(stale === undefined ? {} : { stale }) };
    const before = entries.has(key) ? entries.get(key) : state.find(key);
    const previousOfResource = lastRevisions.get(resource) ?? state.lastRevisionOf(resource);
    lastRevisions.set(resource, revision);
    entries.set(key, type === "put" ? entry : undefined);
    return { revision, resource, previousOfResource, type, entry, before, ...named };
  });
}
