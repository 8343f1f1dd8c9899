import { ApiError, badRequest } from "@kintsugi/api";
import { decodeEntry, encodeObject, splitEntry } from "@kintsugi/api-server/factory";
import type { Clock } from "@kintsugi/clock";
import type { CommittedStore } from "@kintsugi/simulation";
import type { EncodedObject, Entry, Store } from "@kintsugi/store";
import { nodesTouched, planReset } from "./plan-reset.ts";

interface Process {
  readonly isRunning: boolean;
  kill(): void;
  start(): void;
}

export interface MarksDeps {
  real: Clock;
  /** The clock of the cluster. */
  clock: Pick<Clock, "nowMs">;
  committed: Pick<CommittedStore, "list" | "revision">;
  /** The store while a process of the API server has it open. */
  store: () => Store | undefined;
  /** The scheduler and the controllers, which have to drop their expectations. */
  services: () => readonly Process[];
  nodes: () => readonly { readonly name: string; readonly kubelet: Process }[];
}

/** All objects of a cluster as they were at one time. */
export interface StoreMark {
  readonly name: string;
  readonly revision: number;
  /** The wall time of the cluster. */
  readonly atMs: number;
  readonly objects: number;
}

export interface ResetReport {
  readonly mark: string;
  /** Restored objects, and removed objects. */
  readonly restored: number;
  readonly removed: number;
  /** The revision at which all objects were restored. */
  readonly revision: number;
  /** The real duration of the reset. */
  readonly tookMs: number;
}

export interface TakenMark extends StoreMark {
  readonly entries: readonly Entry[];
}

/**
 * Limit on marks. Each mark keeps the objects that have changed since, and a suite has a few
 * initial states.
 */
const marksMax = 50;
/** Number of writes in one turn of the event loop, which take about 20 ms. */
const writesAtOnce = 1000;
const namePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Records marks of all objects, and restores the objects while clients stay connected. */
export class Marks {
  readonly #deps: MarksDeps;
  readonly #marks = new Map<string, TakenMark>();
  #count = 0;
  #resets = 0;
  #isResetting = false;

  constructor(deps: MarksDeps) {
    this.#deps = deps;
  }

  list(): readonly StoreMark[] {
    return [...this.#marks.values()];
  }

  /** @throws ApiError when the name is invalid or in use, or there are too many marks. */
  mark(name = `mark-${++this.#count}`): StoreMark {
    if (!namePattern.test(name))
      throw badRequest(
        `${JSON.stringify(name)} is not the name of a mark: up to 63 lower-case letters, digits and "-"`,
      );
    if (this.#marks.has(name)) throw new ApiError("AlreadyExists", `there is a mark ${name} already`);
    if (this.#marks.size >= marksMax)
      throw new ApiError("TooManyRequests", `there are ${marksMax} marks, which is the limit: remove a mark first`);
    const { committed, clock } = this.#deps;
    const { entries } = committed.list("");
    const taken = { name, revision: committed.revision(), atMs: clock.nowMs(), objects: entries.length, entries };
    this.#marks.set(name, taken);
    return taken;
  }

  /** @throws ApiError NotFound */
  find(name: string): TakenMark {
    const taken = this.#marks.get(name);
    if (taken !== undefined) return taken;
    const names = [...this.#marks.keys()];
    const has = names.length === 0 ? "it has no marks" : `it has ${names.join(", ")}`;
    throw new ApiError("NotFound", `this cluster has no mark ${JSON.stringify(name)}; ${has}`);
  }

  /**
   * The same as `reset`, for a mark of this process.
   * @throws ApiError when the mark belongs to another cluster.
   */
  resetTo(mark: StoreMark): Promise<ResetReport> {
    if (this.#marks.get(mark.name) === mark) return this.reset(mark.name);
    const why = "it belongs to another cluster, or was removed";
    return Promise.reject(new ApiError("NotFound", `this cluster has no such mark ${mark.name}: ${why}`));
  }

  /** @throws ApiError NotFound */
  remove(name: string): void {
    this.find(name);
    this.#marks.delete(name);
  }

  /**
   * Restores all objects. Revisions continue, so watchers see each change. The controllers are
   * restarted and read the objects afterwards, at the latest when the clock is moved.
   * @throws ApiError when there is no such mark, another reset is in progress, or the API server is
   * down.
   */
  async reset(name: string): Promise<ResetReport> {
    const { taken, store } = this.assertReady(name);
    this.#isResetting = true;
    try {
      this.#resets++;
      return await this.#reset(taken, store);
    } finally {
      this.#isResetting = false;
    }
  }

  /** Returns the mark and the store for a reset. @throws ApiError as `reset` */
  assertReady(name: string): { taken: TakenMark; store: Store } {
    const taken = this.find(name);
    const store = this.#deps.store();
    if (store === undefined) throw new ApiError("ServiceUnavailable", "the API server is down: undo that fault first");
    if (this.#isResetting) throw new ApiError("Conflict", "another reset is in progress");
    return { taken, store };
  }

  /** The number of resets that were ever begun. */
  get resetCount(): number {
    return this.#resets;
  }

  async #reset({ name, entries }: TakenMark, store: Store): Promise<ResetReport> {
    const { real, committed, services, nodes } = this.#deps;
    const startMs = real.monotonicMs();
    const plan = planReset(entries, committed.list("").entries);
    const touched = nodesTouched(plan);
    const kubelets = nodes().flatMap((node) => (touched.has(node.name) ? [node.kubelet] : []));
    const stopped = [...services(), ...kubelets].filter(({ isRunning }) => isRunning);
    // A controller that has not finished its work would write according to a state that no longer
    // exists.
    for (const process of stopped) process.kill();
    try {
      await this.#write(plan.puts, (entry) => put(store, entry));
      await this.#write(plan.deletes, (entry) => remove(store, entry));
    } finally {
      for (const process of stopped) process.start();
    }
    const revision = committed.revision();
    const tookMs = real.monotonicMs() - startMs;
    return { mark: name, restored: plan.puts.length, removed: plan.deletes.length, revision, tookMs };
  }

  async #write(entries: readonly Entry[], write: (entry: Entry) => Promise<unknown>): Promise<void> {
    for (let start = 0; start < entries.length; start += writesAtOnce) {
      await Promise.all(entries.slice(start, start + writesAtOnce).map(write));
      await this.#deps.real.nextTurn();
    }
  }
}

function put(store: Store, entry: Entry): Promise<unknown> {
  const encoded = encodedAgain(entry);
  return store.update(entry.key, () => ({ put: encoded, index: entry.index, result: undefined }), { important: true });
}

function remove(store: Store, { key }: Entry): Promise<unknown> {
  return store.update(
    key,
    (current) =>
      current === undefined
        ? { keep: true, result: undefined }
        : { delete: encodedAgain(current), index: current.index, result: undefined },
    { important: true },
  );
}

function encodedAgain(entry: Entry): EncodedObject {
  return splitEntry(entry) ?? encodeObject(decodeEntry(entry));
}
