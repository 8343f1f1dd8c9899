import type { Clock } from "@kintsugi/clock";
import type { StoreState } from "../state/store-state.ts";
import type { PendingUpdate } from "./batch.ts";
import {
  type Change,
  type Committed,
  type CommittedChange,
  type CompactionResult,
  type Entry,
  type ListOptions,
  type Page,
  type ScrubResult,
  type Store,
  type StoreReader,
  StoreUnavailable,
  type UpdateOptions,
} from "../store.ts";
import { type CommitLog, Committer } from "./committer.ts";

/** A log that can also shrink, prove itself and be closed. */
export interface StoreLog extends CommitLog {
  /** Removes records that are superseded by changes up to `floor`. Any error is final. */
  compact(floor: number): Promise<CompactionResult>;
  /** @throws StoreCorrupt naming the first record that differs from the written record. */
  scrub(): Promise<ScrubResult>;
  close(): Promise<void>;
}

export interface LoggedStoreDeps {
  clusterId: string;
  historyId: string;
  state: StoreState;
  log: StoreLog;
  clock: Clock;
}

/** The store for its users: memory for reads, the committer for writes, and a log behind them. */
export class LoggedStore implements Store {
  readonly clusterId: string;
  readonly historyId: string;
  readonly failed: Promise<never>;
  readonly #deps: LoggedStoreDeps;
  protected readonly committer: Committer;
  #compacting: Promise<CompactionResult> | undefined;

  constructor(deps: LoggedStoreDeps) {
    this.#deps = deps;
    this.clusterId = deps.clusterId;
    this.historyId = deps.historyId;
    this.committer = new Committer(deps);
    this.failed = this.committer.failed;
  }

  get historyStart(): number {
    return this.#deps.state.historyStart;
  }

  revision(): number {
    return this.#deps.state.revision;
  }

  find(key: string): Entry | undefined {
    return this.#deps.state.find(key);
  }

  list(prefix: string, options: ListOptions = {}): Page {
    return this.#deps.state.list(prefix, options);
  }

  count(prefix: string): number {
    return this.#deps.state.count(prefix);
  }

  update<R>(
    key: string,
    change: (current: Entry | undefined, reader: StoreReader) => Change<R>,
    options: UpdateOptions = {},
  ): Promise<Committed<R>> {
    return new Promise((resolve, reject) => {
      // The committer hands back the result of this `change`.
      const answer = (committed: Committed<unknown>) => resolve(committed as Committed<R>);
      this.add({ key, change, options, resolve: answer, reject });
    });
  }

  fresh(): Promise<void> | undefined {
    return undefined;
  }

  /** Another replica can only be ahead if the store has several replicas. */
  async reached(revision: number, _timeoutMs: number): Promise<void> {
    const current = this.revision();
    if (revision > current) throw new StoreUnavailable(`revision ${revision} is ahead of the store's ${current}`);
  }

  changesSince(resource: string, revision: number): readonly CommittedChange[] {
    return this.#deps.state.changesSince(resource, revision);
  }

  lastRevisionOf(resource: string): number {
    return this.#deps.state.lastRevisionOf(resource);
  }

  subscribe(listener: (changes: readonly CommittedChange[]) => void): () => void {
    return this.committer.subscribe(listener);
  }

  protected add(update: PendingUpdate): void {
    this.committer.add(update);
  }

  /** A second call while a first call is running waits for the first. */
  async compact(): Promise<CompactionResult> {
    this.#compacting ??= this.#compact().finally(() => (this.#compacting = undefined));
    return this.#compacting;
  }

  async scrub(): Promise<ScrubResult> {
    try {
      return await this.#deps.log.scrub();
    } catch (error) {
      // An error on the disk could affect the next answer, so the store stops accepting writes.
      this.committer.fail(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.committer.close();
    await this.#compacting?.catch(() => {});
    await this.#deps.log.close();
  }

  async #compact(): Promise<CompactionResult> {
    const { state, log, clock } = this.#deps;
    try {
      return await log.compact(state.durableFloor(clock.monotonicMs()));
    } catch (error) {
      throw this.committer.fail(error);
    }
  }
}
