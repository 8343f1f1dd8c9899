import { strict as assert } from "node:assert";
import type { Clock } from "@kintsugi/clock";
import type { StoreState } from "../state/store-state.ts";
import { type CommittedChange, OutcomeUnknown } from "../store.ts";
import { formBatch, type PendingUpdate } from "./batch.ts";

/** The durable log of committed changes. */
export interface CommitLog {
  /**
   * Resolves when all the changes are durable. Any error leaves their outcome unknown and is final.
   */
  append(changes: readonly CommittedChange[]): Promise<void>;
  /** True while the disk has room for important writes only. */
  isFull(): boolean;
}

export interface CommitterDeps {
  state: StoreState;
  log: CommitLog;
  clock: Clock;
}

// Group commit: one batch is in flight, and everything that arrives meanwhile is the next one.
//
//   update() ─► queue ─► formBatch ─► log.append ─► memory ─► listeners ─► answers
//                 ▲                                                          │
//                 └──────────────────── next batch ──────────────────────────┘
//
// Nothing is shown to anybody before it is durable; an error of the log ends it all.

/** Decides updates one after the other and makes them durable in groups. */
export class Committer {
  readonly #deps: CommitterDeps;
  readonly #listeners = new Set<(changes: readonly CommittedChange[]) => void>();
  #queue: PendingUpdate[] = [];
  #running: Promise<void> | undefined;
  #closed: Error | undefined;
  #onFailed: (error: Error) => void = () => {};
  readonly failed: Promise<never>;

  constructor(deps: CommitterDeps) {
    this.#deps = deps;
    this.failed = new Promise<never>((_, reject) => {
      this.#onFailed = reject;
    });
    // Those who await `failed` receive the error; without a waiter it must not become an unhandled
    // rejection.
    this.failed.catch(() => {});
  }

  /** The queue is as long as the callers have requests in flight: they bound it. */
  add(update: PendingUpdate): void {
    if (this.#closed) {
      update.reject(this.#closed);
      return;
    }
    this.#queue.push(update);
    this.#running ??= this.#run();
  }

  subscribe(listener: (changes: readonly CommittedChange[]) => void): () => void {
    // One function may be subscribed twice: each subscription is its own.
    const subscription = (changes: readonly CommittedChange[]) => listener(changes);
    this.#listeners.add(subscription);
    return () => this.#listeners.delete(subscription);
  }

  /** The store is dead: every unanswered write has an unknown outcome. */
  fail(cause: unknown): OutcomeUnknown {
    if (this.#closed instanceof OutcomeUnknown) return this.#closed;
    const error = new OutcomeUnknown(unknownText(cause), { cause });
    this.#closed = error;
    const waiting = this.#queue;
    this.#queue = [];
    for (const update of waiting) update.reject(error);
    this.#onFailed(error);
    return error;
  }

  /** Takes no more updates and resolves when those taken are answered. */
  async close(): Promise<void> {
    this.#closed ??= new Error("the store is closed");
    await this.#running;
  }

  async #run(): Promise<void> {
    // Requests of the same turn of the event loop share the batch.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#commitNext();
    this.#running = undefined;
  }

  async #commitNext(): Promise<void> {
    const { state, log, clock } = this.#deps;
    const waiting = this.#queue;
    try {
      const { changes, answers } = formBatch(waiting, state, log.isFull());
      // Later requests queue behind those that found no room in this batch.
      this.#queue = waiting.slice(answers.length);
      assert(answers.length > 0, "a batch that answers nobody is formed again and again");
      assert(answers.length <= waiting.length, `${answers.length} answers for ${waiting.length} updates`);
      const first = changes[0]?.revision ?? state.revision + 1;
      assert(first === state.revision + 1, `a batch begins with revision ${first}, after ${state.revision}`);
      if (changes.length > 0) {
        await log.append(changes);
        const nowMs = clock.monotonicMs();
        for (const change of changes) state.apply(change, nowMs);
        for (const listener of this.#listeners) listener(changes);
      }
      for (const answer of answers) answer();
    } catch (error) {
      const unknown = this.fail(error);
      for (const update of waiting) update.reject(unknown);
    }
  }
}

function unknownText(cause: unknown): string {
  const because = cause instanceof Error ? cause.message : String(cause);
  return `the store failed and has to be opened again; writes that were not answered may or may not be there: ${because}`;
}
