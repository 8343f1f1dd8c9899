import type { Clock, Random } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import type { BatchLimits } from "../commit/batch.ts";
import {
  type LogCommit,
  type LogFollower,
  type LoggedChange,
  type LogHead,
  type LogMark,
  type LogPosition,
  LogUnreachable,
  type ReplicatedLog,
} from "../replicated/replicated-log.ts";
import type { Entry } from "../store.ts";

/** Faults of the log, drawn for each call. */
export interface SharedLogFaults {
  /** The share of the appends that are accepted, but whose answer is lost. */
  lostAnswers: number;
  /** The share of the appends that do not arrive. */
  lostAppends: number;
  /** Longest time until a commit reaches a follower. */
  followDelayMaxMs: number;
}

/** Slightly less than etcd's defaults: 128 operations in a transaction of 1.5 MiB. */
const limits: BatchLimits = { operationsMax: 124, bytesMax: 1.4 * 2 ** 20, isKeyOnce: true };
const pageLength = 500;

interface Placed {
  readonly commit: LogCommit;
  /** The objects after the commit. */
  readonly objects: ReadonlyMap<string, LoggedChange>;
}

/** A log in memory that several replicas share, in the role that etcd has for servers. */
export class SharedMemoryLog {
  readonly #clock: Clock;
  readonly #random: Random;
  faults: SharedLogFaults = { lostAnswers: 0, lostAppends: 0, followDelayMaxMs: 0 };
  /**
   * The log does not have a leader before this time, so that appends fail and heads cannot be
   * proven.
   */
  #leaderlessUntilMs = 0;
  #placed: Placed[] = [];
  /** Commits before this index are compacted away. */
  #floor = 0;
  readonly #connections = new Set<MemoryLogConnection>();
  /** Called with each commit when it is accepted. */
  onTaken: ((commit: LogCommit) => void) | undefined;

  constructor(deps: { clock?: Clock; random?: Random } = {}) {
    this.#clock = deps.clock ?? new VirtualClock();
    this.#random = deps.random ?? new SeededRandom(1);
  }

  /** @param isPrompt True delivers each commit in the call that appends it. */
  connect({ isPrompt = false }: { isPrompt?: boolean } = {}): MemoryLogConnection {
    const connection = new MemoryLogConnection(this, { clock: this.#clock, random: this.#random, isPrompt });
    this.#connections.add(connection);
    return connection;
  }

  loseLeader(durationMs: number): void {
    this.#leaderlessUntilMs = this.#clock.monotonicMs() + durationMs;
  }

  get hasLeader(): boolean {
    return this.#clock.monotonicMs() >= this.#leaderlessUntilMs;
  }

  get head(): LogHead | undefined {
    return this.#placed.at(-1)?.commit.head;
  }

  /** The present objects. */
  get objects(): ReadonlyMap<string, LoggedChange> {
    return this.#placed.at(-1)?.objects ?? new Map();
  }

  /** The commits after an index; undefined when some of them are compacted away. */
  behind(index: number): readonly LogCommit[] | undefined {
    return index + 1 < this.#floor ? undefined : this.#placed.slice(index + 1).map(({ commit }) => commit);
  }

  objectsAt(index: number): ReadonlyMap<string, LoggedChange> | undefined {
    return index < this.#floor ? undefined : this.#placed[index]?.objects;
  }

  get marks(): { mark: LogMark; index: number }[] {
    return this.#placed.flatMap(({ commit: { mark } }, index) =>
      mark === undefined || index < this.#floor ? [] : [{ mark, index }],
    );
  }

  take(commit: LogCommit): number {
    const objects = new Map(this.#placed.at(-1)?.objects);
    for (const change of commit.changes) {
      if (change.type === "put") objects.set(change.key, change);
      else objects.delete(change.key);
    }
    const index = this.#placed.push({ commit, objects }) - 1;
    this.onTaken?.(commit);
    for (const connection of this.#connections) connection.deliver();
    return index;
  }

  dropBefore(index: number): void {
    this.#floor = Math.max(this.#floor, index);
  }

  forget(connection: MemoryLogConnection): void {
    this.#connections.delete(connection);
  }
}

interface Following {
  follower: LogFollower;
  next: number;
}

/** One replica's connection to the log, which can be cut. */
export class MemoryLogConnection implements ReplicatedLog {
  readonly limits = limits;
  readonly #log: SharedMemoryLog;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #isPrompt: boolean;
  #isCut = false;
  #isFull = false;
  #following: Following | undefined;

  constructor(log: SharedMemoryLog, deps: { clock: Clock; random: Random; isPrompt: boolean }) {
    this.#log = log;
    this.#isPrompt = deps.isPrompt;
    this.#clock = deps.clock;
    this.#random = deps.random;
  }

  cut(): void {
    this.#isCut = true;
  }

  heal(): void {
    this.#isCut = false;
    this.deliver();
  }

  setFull(full: boolean): void {
    this.#isFull = full;
  }

  async begin(first: LogHead, mark: LogMark): Promise<LogHead> {
    this.#assertReached();
    if (this.#log.head === undefined) this.#log.take({ head: first, changes: [], mark });
    return this.#log.head ?? first;
  }

  async fill(first: LogHead, mark: LogMark, pages: AsyncIterable<readonly Entry[]>): Promise<void> {
    this.#assertReached();
    if (this.#log.head !== undefined) throw new Error("the log is not empty");
    const changes: LoggedChange[] = [];
    for await (const page of pages) changes.push(...page.map((entry) => ({ type: "put" as const, ...entry })));
    this.#log.take({ head: first, changes, mark });
  }

  async markAt(atMs: number): Promise<{ mark: LogMark; position: LogPosition }> {
    this.#assertReached();
    const { marks } = this.#log;
    const found = marks.findLast(({ mark }) => mark.atMs <= atMs) ?? marks[0];
    if (found === undefined) throw new Error("the log has not begun");
    return { mark: found.mark, position: String(found.index) };
  }

  async *entriesAt(position: LogPosition): AsyncGenerator<readonly Entry[]> {
    this.#assertReached();
    const objects = this.#log.objectsAt(Number(position));
    if (objects === undefined) throw new Error(`the log no longer has position ${position}`);
    const sorted = [...objects.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    for (let start = 0; start < sorted.length; start += pageLength) {
      yield sorted
        .slice(start, start + pageLength)
        .map(({ key, revision, value, index }) => ({ key, revision, value, index }));
    }
  }

  follow(position: LogPosition, follower: LogFollower): () => void {
    const following = { follower, next: Number(position) + 1 };
    this.#following = following;
    void Promise.resolve().then(() => this.deliver());
    return () => {
      if (this.#following === following) this.#following = undefined;
    };
  }

  /** Delivers the commits that the follower has not received, now or somewhat later. */
  deliver(): void {
    if (this.#isPrompt) {
      this.#deliverNow();
      return;
    }
    const delayMs = this.#log.faults.followDelayMaxMs * this.#random.float();
    if (delayMs === 0) void Promise.resolve().then(() => this.#deliverNow());
    else this.#clock.after(delayMs, () => this.#deliverNow());
  }

  async head(): Promise<LogHead> {
    this.#assertReached();
    const { head } = this.#log;
    if (head === undefined) throw new Error("the log has not begun");
    return head;
  }

  async append(expected: LogHead, commit: LogCommit): Promise<LogPosition | undefined> {
    this.#assertReached();
    const { faults } = this.#log;
    if (faults.lostAppends > 0 && this.#random.float() < faults.lostAppends)
      throw new LogUnreachable("the append is lost");
    const { head } = this.#log;
    const position =
      head?.nonce === expected.nonce && head.revision === expected.revision ? this.#log.take(commit) : undefined;
    if (faults.lostAnswers > 0 && this.#random.float() < faults.lostAnswers)
      throw new LogUnreachable("the answer is lost");
    return position === undefined ? undefined : String(position);
  }

  isFull(): boolean {
    return this.#isFull;
  }

  async compact(revision: number): Promise<{ removed: number }> {
    this.#assertReached();
    const found = this.#log.marks.findLast(({ mark }) => mark.revision <= revision);
    if (found !== undefined) this.#log.dropBefore(found.index);
    return { removed: 0 };
  }

  async close(): Promise<void> {
    this.#following = undefined;
    this.#log.forget(this);
  }

  #deliverNow(): void {
    for (let following = this.#following; following !== undefined && !this.#isCut; following = this.#following) {
      const [commit] = this.#log.behind(following.next - 1) ?? [];
      if (this.#log.behind(following.next - 1) === undefined) {
        this.#following = undefined;
        following.follower.failed(new Error("the log no longer has the commits that this replica needs"));
        return;
      }
      if (commit === undefined) return;
      following.follower.commit(commit, String(following.next++));
    }
  }

  #assertReached(): void {
    if (this.#isCut) throw new LogUnreachable("the log is cut off");
    if (!this.#log.hasLeader) throw new LogUnreachable("the log has no leader");
  }
}
