import { strict as assert } from "node:assert";
import type { Clock, Timer } from "@kintsugi/clock";
import type { StoreState } from "../state/store-state.ts";
import { type CommittedChange, OutcomeUnknown, StoreFull, StoreUnavailable } from "../store.ts";
import { type Batch, type BatchLimits, formBatch, type PendingUpdate } from "./batch.ts";

/**
 * `overtaken`: another writer of the log was first, and memory now shows its changes. The same
 * updates have to be decided again.
 */
export type AppendOutcome = "appended" | "overtaken";

/** The durable log of committed changes. */
export interface CommitLog {
  /**
   * Resolves when either all the changes are durable, or all of them are rejected for good. Any
   * error leaves their outcome unknown and is final, except StoreFull: the changes are then not
   * written, and the log continues.
   */
  append(changes: readonly CommittedChange[]): Promise<AppendOutcome>;
  /** True while the disk has room for important writes only. */
  isFull(): boolean;
  /** If absent, the log accepts any batch. */
  readonly limits?: BatchLimits;
  /**
   * Resolves when memory shows all that other writers of the log had written before the call;
   * absent without other writers. A decision without a write needs this function, because an append
   * does not prove then that the decision was made over the newest state.
   * @throws StoreUnavailable
   */
  fresh?(): Promise<void>;
}

export interface CommitterDeps {
  state: StoreState;
  log: CommitLog;
  clock: Clock;
}

// Group commit: one batch is in flight, and everything that arrives in the meantime is the next
// batch.
//
//   update() ─► queue ─► formBatch ─► log.append ─► memory ─► listeners ─► answers
//                 ▲                                                          │
//                 └──────────────────── next batch ──────────────────────────┘
//
// A write is not shown before it is durable. An error of the log ends the store.
//
// A batch with an urgent write begins immediately, and includes the patient writes. If only patient
// writes wait, batches also begin immediately while they are few: each uses one of `burstMax`
// turns, of which one is restored every `gatherMs`.

/**
 * Heartbeats of five thousand nodes arrive every two milliseconds, so ten of them share a sync. The
 * delay is small compared with the ten seconds between two heartbeats of a node.
 */
export const gatherMs = 20;

/** Number of turns. A cluster of some dozen nodes never waits. */
export const burstMax = 8;

/** Number of patient writes that justify a sync of their own. */
const gatheredMax = 256;

/** Decides updates one after the other and makes them durable in groups. */
export class Committer {
  readonly #deps: CommitterDeps;
  readonly #listeners = new Set<(changes: readonly CommittedChange[]) => void>();
  #queue: PendingUpdate[] = [];
  #running: Promise<void> | undefined;
  /** Begins the batch of patient writes. */
  #gathering: Timer | undefined;
  #turns = burstMax;
  #countedAtMs = 0;
  #closed: Error | undefined;
  #onFailed: (error: Error) => void = () => {};
  readonly failed: Promise<never>;

  constructor(deps: CommitterDeps) {
    this.#deps = deps;
    this.failed = new Promise<never>((_, reject) => {
      this.#onFailed = reject;
    });
    // Callers that await `failed` receive the error. Without a waiter, the error must not become an
    // unhandled rejection.
    this.failed.catch(() => {});
  }

  /** The number of the callers' requests in flight limits the length of the queue. */
  add(update: PendingUpdate): void {
    if (this.#closed) {
      update.reject(this.#closed);
      return;
    }
    this.#queue.push(update);
    if (this.#running !== undefined) return;
    if (update.options.patient === true) this.#gather();
    else this.#start();
  }

  /** Begins a batch of patient writes, or waits until a turn is available. */
  #gather(): void {
    if (this.#gathering !== undefined && this.#queue.length < gatheredMax) return;
    this.#countTurns();
    if (this.#turns < 1 && this.#queue.length < gatheredMax) {
      this.#gathering = this.#deps.clock.after((1 - this.#turns) * gatherMs, () => this.#startPatient());
    } else this.#startPatient();
  }

  #startPatient(): void {
    this.#countTurns();
    this.#turns = Math.max(0, this.#turns - 1);
    this.#start();
  }

  #countTurns(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    this.#turns = Math.min(burstMax, this.#turns + (nowMs - this.#countedAtMs) / gatherMs);
    this.#countedAtMs = nowMs;
  }

  #start(): void {
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#running ??= this.#run();
  }

  subscribe(listener: (changes: readonly CommittedChange[]) => void): () => void {
    // The same function may be subscribed twice, and each subscription is separate.
    const subscription = (changes: readonly CommittedChange[]) => listener(changes);
    this.#listeners.add(subscription);
    return () => this.#listeners.delete(subscription);
  }

  /**
   * Shows durable changes to readers and listeners. Changes that memory already has, because they
   * arrived by following the log, are shown once.
   */
  show(changes: readonly CommittedChange[]): void {
    const { state, clock } = this.#deps;
    if ((changes[0]?.revision ?? 0) <= state.revision) return;
    const nowMs = clock.monotonicMs();
    for (const change of changes) state.apply(change, nowMs);
    for (const listener of this.#listeners) listener(changes);
  }

  /** The store has failed: every unanswered write has an unknown outcome. */
  fail(cause: unknown): OutcomeUnknown {
    if (this.#closed instanceof OutcomeUnknown) return this.#closed;
    const error = new OutcomeUnknown(unknownText(cause), { cause });
    this.#closed = error;
    this.#gathering?.cancel();
    const waiting = this.#queue;
    this.#queue = [];
    for (const update of waiting) update.reject(error);
    this.#onFailed(error);
    return error;
  }

  /** Stops accepting updates and resolves when the accepted updates are answered. */
  async close(): Promise<void> {
    this.#closed ??= new Error("the store is closed");
    if (this.#queue.length > 0) this.#start();
    await this.#running;
  }

  async #run(): Promise<void> {
    // Requests of the same turn of the event loop share the batch.
    await Promise.resolve();
    do await this.#commitNext();
    while (this.#queue.length > 0 && !this.#isPatient());
    this.#running = undefined;
    if (this.#queue.length > 0) this.#gather();
  }

  /** Reports whether all waiting updates may wait for more. */
  #isPatient(): boolean {
    if (this.#closed !== undefined || this.#queue.length >= gatheredMax) return false;
    return this.#queue.every(({ options }) => options.patient === true);
  }

  async #commitNext(): Promise<void> {
    let updates: readonly PendingUpdate[] = this.#queue;
    this.#queue = [];
    try {
      for (let isFresh = false; ;) {
        updates = updates.filter(({ isGivenUp }) => isGivenUp !== true);
        if (updates.length === 0) return;
        const { changes, answers } = this.#form(updates);
        updates = updates.slice(0, answers.length);
        if (changes.length > 0) {
          for (const update of updates) update.isSent = true;
          if ((await this.#deps.log.append(changes)) === "overtaken") continue;
          this.show(changes);
        } else if (this.#deps.log.fresh !== undefined && !isFresh) {
          await this.#deps.log.fresh();
          isFresh = true;
          continue;
        }
        for (const answer of answers) answer();
        return;
      }
    } catch (error) {
      // Either these updates decided not to write, which is not proven, or the log was too full for
      // their writes. The log continues.
      const isPassing = error instanceof StoreUnavailable || error instanceof StoreFull;
      const outcome = isPassing ? error : this.fail(error);
      for (const update of updates) update.reject(outcome);
    }
  }

  /** Forms one batch; updates without room in it are the first of the next batch. */
  #form(updates: readonly PendingUpdate[]): Batch {
    const { state, log } = this.#deps;
    const batch = formBatch(updates, state, { isFull: log.isFull(), limits: log.limits });
    const { changes, answers } = batch;
    if (answers.length < updates.length) this.#queue = [...updates.slice(answers.length), ...this.#queue];
    assert(answers.length > 0, "a batch without updates is formed repeatedly");
    assert(answers.length <= updates.length, `${answers.length} answers for ${updates.length} updates`);
    const first = changes[0]?.revision ?? state.revision + 1;
    assert(first === state.revision + 1, `a batch begins with revision ${first}, after ${state.revision}`);
    return batch;
  }
}

function unknownText(cause: unknown): string {
  const because = cause instanceof Error ? cause.message : String(cause);
  return `the store failed and has to be opened again; writes that were not answered may or may not be stored: ${because}`;
}
