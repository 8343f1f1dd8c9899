import type { Committed, CommittedChange, CompactionResult, Entry, ListOptions, Page, Store } from "@kintsugi/store";

type StoreReads = Pick<
  Store,
  | "clusterId"
  | "compact"
  | "historyId"
  | "revision"
  | "find"
  | "list"
  | "count"
  | "changesSince"
  | "lastRevisionOf"
  | "subscribe"
>;

/**
 * The committed objects, independent of the process that has the store open at present, and
 * available even while the store is not open.
 */
export interface CommittedStore extends StoreReads {
  observe(observer: StoreObserver): void;
}

/** Observes the runs of a store, in addition to its changes. */
export interface StoreObserver {
  /**
   * A process has opened the store, but does not report changes yet; the changes that the process
   * found after the last reported revision follow later.
   */
  opened?(store: Store): void;
  /** The process that had the store open has ended. */
  left?(): void;
  /** The contents of the disk were rejected. */
  refused?(error: unknown): void;
  /** This commit is about to be reported to a client. */
  answered?(key: string, committed: Committed<unknown>): void;
}

// One log, many runs of the process that writes it:
//
//   run 1   5 6 7 (8)     8 was appended, and the process died before a client received the result
//   run 2         8 9     found when the log was opened again: reported now, in its place
//   shown    5 6 7 8 9
//
// If 8 had not survived, run 2 would use that revision for another change, which is also correct
// because no client had seen it.

/** Reports each committed change once, in the order of revisions, through all runs of the store. */
export class CommittedLog implements CommittedStore {
  readonly #listeners = new Set<(changes: readonly CommittedChange[]) => void>();
  readonly #observers: StoreObserver[] = [];
  readonly #resources = new Set<string>();
  #store: Store | undefined;
  #revision = 0;

  get clusterId(): string {
    return this.#opened.clusterId;
  }

  get historyId(): string {
    return this.#opened.historyId;
  }

  revision(): number {
    return this.#revision;
  }

  find(key: string): Entry | undefined {
    return this.#store?.find(key);
  }

  list(prefix: string, options?: ListOptions): Page {
    return this.#opened.list(prefix, options);
  }

  count(prefix: string): number {
    return this.#store?.count(prefix) ?? 0;
  }

  changesSince(resource: string, revision: number): readonly CommittedChange[] {
    return this.#opened.changesSince(resource, revision);
  }

  lastRevisionOf(resource: string): number {
    return this.#store?.lastRevisionOf(resource) ?? 0;
  }

  /** Calls the process that has the store open; a process that has ended never responds. */
  compact(): Promise<CompactionResult> {
    return this.#opened.compact();
  }

  subscribe(listener: (changes: readonly CommittedChange[]) => void): () => void {
    const subscription = (changes: readonly CommittedChange[]) => listener(changes);
    this.#listeners.add(subscription);
    return () => this.#listeners.delete(subscription);
  }

  observe(observer: StoreObserver): void {
    this.#observers.push(observer);
  }

  /** The store has been opened, and has no other subscriber yet. */
  opened(store: Store): void {
    for (const observer of this.#observers) observer.opened?.(store);
    const isSameHistory = this.#store === undefined || this.#store.historyId === store.historyId;
    const found = isSameHistory ? this.#unseen(store) : [];
    this.#store = store;
    this.#revision = store.revision();
    if (found.length > 0) this.#show(found);
    store.subscribe((changes) => {
      if (this.#store === store) this.#show(changes);
    });
  }

  left(): void {
    for (const observer of this.#observers) observer.left?.();
  }

  refused(error: unknown): void {
    for (const observer of this.#observers) observer.refused?.(error);
  }

  answered(key: string, committed: Committed<unknown>): void {
    for (const observer of this.#observers) observer.answered?.(key, committed);
  }

  #show(changes: readonly CommittedChange[]): void {
    for (const { revision, resource } of changes) {
      this.#revision = revision;
      this.#resources.add(resource);
    }
    for (const listener of this.#listeners) listener(changes);
  }

  /** Lists the store's changes after the last reported revision. */
  #unseen(store: Store): CommittedChange[] {
    const since = Math.max(this.#revision, store.historyStart);
    if (store.revision() <= since) return [];
    for (const { key } of store.list("").entries) this.#resources.add(key.split("/", 2).join("/"));
    const changes = [...this.#resources].flatMap((resource) => store.changesSince(resource, since));
    return changes.toSorted((a, b) => a.revision - b.revision);
  }

  get #opened(): Store {
    if (!this.#store) throw new Error("the store has not been opened yet");
    return this.#store;
  }
}
