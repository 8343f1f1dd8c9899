import { strict as assert } from "node:assert";
import { endOfPrefix, resourceOfPrefix } from "../object-key.ts";
import { type CommittedChange, type Entry, type ListOptions, type Page, RevisionExpired } from "../store.ts";
import { ChangeWindow, type WindowLimits } from "./change-window.ts";
import { KeyIndex } from "./key-index.ts";

export interface StateOptions {
  /** The limits of each resource's window. */
  windowLimitsOf(resource: string): WindowLimits;
}

/** The known history when the store was opened. */
export interface StateOrigin {
  /**
   * The history before this revision is unknown for every resource; a restored backup starts its
   * history here.
   */
  readonly historyStart: number;
  /** The newest change of each resource that can no longer be replayed. */
  readonly floors: ReadonlyMap<string, number>;
}

interface ResourceState {
  readonly name: string;
  readonly window: ChangeWindow;
  lastRevision: number;
}

/**
 * The store's memory: the current entries in key order, and the newest changes of each resource.
 */
export class StoreState {
  readonly #options: StateOptions;
  readonly #origin: StateOrigin;
  readonly #index = new KeyIndex();
  readonly #resources = new Map<string, ResourceState>();
  #revision: number;

  constructor(options: StateOptions, origin: StateOrigin = { historyStart: 0, floors: new Map() }) {
    this.#options = options;
    this.#origin = origin;
    this.#revision = origin.historyStart;
    for (const resource of origin.floors.keys()) this.#resource(resource);
  }

  get historyStart(): number {
    return this.#origin.historyStart;
  }

  get revision(): number {
    return this.#revision;
  }

  find(key: string): Entry | undefined {
    return this.#index.find(key);
  }

  count(prefix: string): number {
    return this.#index.count(prefix, endOfPrefix(prefix));
  }

  lastRevisionOf(resource: string): number {
    return this.#resources.get(resource)?.lastRevision ?? this.#origin.historyStart;
  }

  /** The newest revision of each resource that has ever changed. */
  lastRevisions(): Record<string, number> {
    return Object.fromEntries([...this.#resources.values()].map(({ name, lastRevision }) => [name, lastRevision]));
  }

  /** @throws RevisionExpired if a change of this resource after `revision` is no longer kept. */
  changesSince(resource: string, revision: number): readonly CommittedChange[] {
    const known = this.#resources.get(resource);
    if (known) return known.window.since(revision);
    if (revision < this.#origin.historyStart) throw new RevisionExpired(beforeHistory(revision, this.#origin));
    return [];
  }

  /**
   * @throws RevisionExpired when the windows under `prefix` do not reach back to
   * `options.revision`.
   */
  list(prefix: string, options: ListOptions): Page {
    const revision = options.revision ?? this.#revision;
    assert(revision <= this.#revision, `revision ${revision} is ahead of the store's ${this.#revision}`);
    const past = this.#changedKeysSince(prefix, revision);
    const from = startBehind(prefix, options.after);
    return pageOf({
      index: this.#index,
      past,
      from,
      to: endOfPrefix(prefix),
      limit: options.limit ?? Infinity,
      revision,
    });
  }

  /** Adds a committed change; changes arrive in revision order. */
  apply(change: CommittedChange, nowMs: number): void {
    assert(change.revision > this.#revision, `revision ${change.revision} does not follow ${this.#revision}`);
    this.#assertOfKey(change);
    this.#revision = change.revision;
    this.#keep(change);
    const resource = this.#resource(change.resource);
    assert(
      change.revision > resource.lastRevision,
      `revision ${change.revision} of ${resource.name} comes after ${resource.lastRevision}`,
    );
    resource.lastRevision = change.revision;
    resource.window.append(change, nowMs);
  }

  /** Adds a change that is too old to be replayed to a watch; used while opening. */
  applyForgotten(change: CommittedChange): void {
    assert(this.isForgotten(change), `revision ${change.revision} is still stored`);
    this.#revision = Math.max(this.#revision, change.revision);
    this.#keep(change);
  }

  /** Returns true when the change is too old to be replayed to a watcher. */
  isForgotten(change: CommittedChange): boolean {
    return change.revision <= this.#resource(change.resource).window.floor;
  }

  /** Advances to the last revision when its record no longer exists. */
  advanceTo(revision: number): void {
    assert(revision >= this.#revision, `revision ${revision} is behind ${this.#revision}`);
    this.#revision = revision;
  }

  /**
   * All changes up to this revision may be removed from the disk, because they are not young in any
   * window.
   */
  durableFloor(nowMs: number): number {
    let floor = this.#revision;
    for (const { window } of this.#resources.values()) {
      window.trim(nowMs);
      const oldest = window.oldestYoung(nowMs);
      if (oldest !== undefined) floor = Math.min(floor, oldest - 1);
    }
    return floor;
  }

  /** The change was decided over the entry at its key, and includes that entry. */
  #assertOfKey({ type, revision, entry, before }: CommittedChange): void {
    const { key } = entry;
    const current = this.#index.find(key);
    assert(type === "put" || current !== undefined, `revision ${revision} deletes ${key}, where no object is stored`);
    assert(entry.revision === revision, `the entry of revision ${revision} states that it is of ${entry.revision}`);
    assert(
      before?.revision === current?.revision,
      `revision ${revision} replaces ${before?.revision} at ${key}, where ${current?.revision} is stored`,
    );
  }

  #keep(change: CommittedChange): void {
    if (change.type === "put") this.#index.set(change.entry);
    else this.#index.delete(change.entry.key);
  }

  #resource(name: string): ResourceState {
    const present = this.#resources.get(name);
    if (present) return present;
    const floor = Math.max(this.#origin.floors.get(name) ?? 0, this.#origin.historyStart);
    const window = new ChangeWindow(this.#options.windowLimitsOf(name), floor);
    const created = { name, window, lastRevision: floor };
    this.#resources.set(name, created);
    return created;
  }

  /**
   * Returns the value at `revision` of every key under `prefix` that has changed since; `undefined`
   * for a key that did not exist.
   */
  #changedKeysSince(prefix: string, revision: number): ReadonlyMap<string, Entry | undefined> {
    const past = new Map<string, Entry | undefined>();
    if (revision === this.#revision) return past;
    if (revision < this.#origin.historyStart) throw new RevisionExpired(beforeHistory(revision, this.#origin));
    for (const { window } of this.#resourcesUnder(prefix)) {
      if (!window.changedSince(revision) && revision >= window.floor) continue;
      for (const { entry, before } of window.since(revision)) {
        if (entry.key.startsWith(prefix) && !past.has(entry.key)) past.set(entry.key, before);
      }
    }
    return past;
  }

  #resourcesUnder(prefix: string): ResourceState[] {
    const resource = resourceOfPrefix(prefix);
    if (resource === undefined)
      return [...this.#resources.values()].filter(({ name }) => `${name}/`.startsWith(prefix));
    const known = this.#resources.get(resource);
    return known ? [known] : [];
  }
}

interface PageRequest {
  index: KeyIndex;
  past: ReadonlyMap<string, Entry | undefined>;
  from: string;
  to: string | undefined;
  limit: number;
  revision: number;
}

function pageOf(request: PageRequest): Page {
  const { index, past, from, to, limit, revision } = request;
  if (past.size === 0) {
    const entries = index.slice(from, to, limit);
    const remaining = index.count(from, to) - entries.length;
    return { entries, revision, more: remaining > 0, remaining };
  }
  const overlaid = [...past].filter(([key]) => key >= from && (to === undefined || key < to));
  const gone = overlaid.filter(([key]) => index.find(key) !== undefined).length;
  const restored = overlaid.flatMap(([, entry]) => (entry ? [entry] : [])).sort(byKey);
  const unchanged = unchangedEntries(request, limit);
  const entries = merge(unchanged, restored, limit);
  const remaining = index.count(from, to) - gone + restored.length - entries.length;
  return { entries, revision, more: remaining > 0, remaining };
}

/**
 * The first `limit` entries of the range at the earlier revision. Slices are small because most
 * keys are unchanged.
 */
function unchangedEntries({ index, past, from, to }: PageRequest, limit: number): Entry[] {
  const entries: Entry[] = [];
  for (let start = from; entries.length < limit;) {
    const wanted = limit - entries.length;
    const slice = index.slice(start, to, wanted);
    for (const entry of slice) if (!past.has(entry.key)) entries.push(entry);
    const last = slice.at(-1);
    if (!last || slice.length < wanted) break;
    start = behind(last.key);
  }
  return entries;
}

function merge(left: readonly Entry[], right: readonly Entry[], limit: number): Entry[] {
  const merged: Entry[] = [];
  let l = 0;
  let r = 0;
  while (merged.length < limit) {
    const a = left[l];
    const b = right[r];
    if (a && (!b || a.key < b.key)) {
      merged.push(a);
      l++;
    } else if (b) {
      merged.push(b);
      r++;
    } else break;
  }
  return merged;
}

function byKey(a: Entry, b: Entry): number {
  return a.key < b.key ? -1 : 1;
}

function startBehind(prefix: string, after: string | undefined): string {
  if (after === undefined) return prefix;
  const start = behind(after);
  return start > prefix ? start : prefix;
}

/** The first string after `key`. */
function behind(key: string): string {
  return `${key}\0`;
}

function beforeHistory(revision: number, origin: StateOrigin): string {
  return `revision ${revision} is before this history, which starts at ${origin.historyStart}`;
}
