import type { Clock, Random } from "@kintsugi/clock";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/simulated";
import type { AppendOutcome } from "../commit/committer.ts";
import { LoggedStore, type StoreLog } from "../commit/logged-store.ts";
import { type StoreOptions, windowLimitsFor, withDefaults } from "../store-options.ts";
import { createEntry } from "../commit/batch.ts";
import { resourceOfKey } from "../object-key.ts";
import type { EncodedObject, Entry, EntryIndex } from "../store.ts";
import { StoreState } from "../state/store-state.ts";

export interface MemoryStoreDeps {
  clock?: Clock;
  random?: Random;
  /**
   * The objects with which the store begins, in the order of their revisions. Its history begins
   * after them. Default: the store is empty.
   */
  entries?: readonly Entry[];
}

/** An object without a revision. */
export interface UnstoredObject {
  readonly key: string;
  readonly put: EncodedObject;
  readonly index: EntryIndex;
}

/** The entries of a store into which these objects were written one after the other. */
export function storedEntries(objects: readonly UnstoredObject[]): Entry[] {
  return objects.map(({ key, put: object, index }, at) => createEntry(key, at + 1, { object, index }));
}

/** A store that loses everything with the process, for tests of the layers above it. */
export class MemoryStore extends LoggedStore {
  readonly #log: MemoryLog;

  constructor(deps: MemoryStoreDeps = {}, options: Partial<StoreOptions> = {}) {
    const random = deps.random ?? new SeededRandom(1);
    const log = new MemoryLog();
    super({
      clusterId: random.uuid(),
      historyId: random.uuid(),
      state: stateWith(deps.entries ?? [], options),
      log,
      clock: deps.clock ?? new VirtualClock(),
    });
    this.#log = log;
  }

  /** Makes the disk nearly full, or frees the space again. */
  setFull(full: boolean): void {
    this.#log.full = full;
  }

  /**
   * Decides each batch twice from now on, as if another writer had been first. A `change` with side
   * effects then answers differently.
   */
  decideTwice(): void {
    this.#log.decidesTwice = true;
  }

  /** Every write from now on fails with an unknown outcome, as on a broken disk. */
  breakDisk(error: Error): void {
    this.#log.broken = error;
  }
}

function stateWith(entries: readonly Entry[], options: Partial<StoreOptions>): StoreState {
  const windowLimitsOf = windowLimitsFor(withDefaults(options));
  const state = new StoreState({ windowLimitsOf }, { historyStart: entries.at(-1)?.revision ?? 0, floors: new Map() });
  for (const entry of entries) {
    const { key, revision } = entry;
    const resource = resourceOfKey(key);
    state.applyForgotten({ type: "put", revision, resource, previousOfResource: 0, entry, before: undefined });
  }
  return state;
}

class MemoryLog implements StoreLog {
  full = false;
  broken: Error | undefined;
  decidesTwice = false;
  #isSecond = false;

  async append(): Promise<AppendOutcome> {
    if (this.broken) throw this.broken;
    if (!this.decidesTwice) return "appended";
    this.#isSecond = !this.#isSecond;
    return this.#isSecond ? "overtaken" : "appended";
  }

  isFull(): boolean {
    return this.full;
  }

  async compact(floor: number): Promise<{ floor: number; removed: number }> {
    return { floor, removed: 0 };
  }

  /** Does nothing, because the records are only in memory. */
  async scrub(): Promise<{ records: number }> {
    return { records: 0 };
  }

  async close(): Promise<void> {}
}
