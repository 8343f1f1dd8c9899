import { strict as assert } from "node:assert";
import { resourceQuotas } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { KnownQuota, QuotaWrite } from "@kintsugi/rules";
import type { CommittedChange, Store, StoreReader } from "@kintsugi/store";
import { parseStoreKey, storePrefix, storeResource } from "../resources/keys.ts";
import { NamespaceQuotas } from "./namespace-quotas.ts";

const quotaResource = storeResource(resourceQuotas);

export interface QuotaBookDeps {
  store: Pick<Store, "list" | "revision">;
  clock: Pick<Clock, "nowMs">;
}

// The book holds the usage of the objects in each namespace with a quota. It is derived from the
// store alone, change by change, so there are no reservations that could leak:
//
//   committed changes   1 … 41          a listener of the store passes them on
//   this batch          42 43 44 │ 45   the write that is decided now sees 42 to 44 by `written`
//
// A batch is formed again when another writer committed first. The book then undoes the changes
// that it read from the batch. A batch is identified by its list.

/** The usage of all quotas, exact at the write that is being decided. */
export class QuotaBook {
  readonly #deps: QuotaBookDeps;
  /** One entry for each namespace that has a quota, so the number of quotas limits it. */
  readonly #namespaces = new Map<string, NamespaceQuotas>();
  /** The last revision that the book has read; undefined before its first use. */
  #seen: number | undefined;
  /** The last batch from which changes were read; it grows while it is formed. */
  #batch: readonly CommittedChange[] = [];

  constructor(deps: QuotaBookDeps) {
    this.#deps = deps;
  }

  /**
   * Reads committed changes in the order of their revisions, and skips changes that it has already
   * read.
   */
  observe(changes: readonly CommittedChange[]): void {
    if (changes !== this.#batch) this.#giveBack();
    this.#batch = [];
    this.#take(changes);
  }

  #take(changes: readonly CommittedChange[]): void {
    const first = changes[0];
    if (first === undefined || this.#seen === undefined) return;
    const skipped = this.#seen + 1 - first.revision;
    assert(skipped >= 0, `the book of quotas ends at revision ${this.#seen}, before ${first.revision}`);
    for (let i = skipped; i < changes.length; i++) {
      const change = changes[i] as CommittedChange;
      this.#apply(change, changes, i);
      this.#seen = change.revision;
    }
  }

  /** Reports whether a namespace has a quota. It is called for every write. */
  has(namespace: string, reader: Pick<StoreReader, "written">): boolean {
    const written = reader.written();
    if (this.#seen === undefined) this.#open(written);
    if (written !== this.#batch) this.#giveBack();
    this.#batch = written;
    this.#take(written);
    return this.#namespaces.has(namespace);
  }

  /** The quotas that limit writes of this kind, and their usage, in the order of their names. */
  quotasFor(type: QuotaWrite["type"], namespace: string): readonly KnownQuota[] {
    return this.#namespaces.get(namespace)?.quotasFor(type, this.#deps.clock.nowMs()) ?? [];
  }

  /** Undoes the changes of a batch that was not committed in that form. */
  #giveBack(): void {
    const taken = this.#batch.filter(({ revision }) => revision <= (this.#seen ?? 0));
    for (const change of taken.toReversed()) {
      const { before } = change;
      const inverse: CommittedChange =
        before === undefined ? { ...change, type: "delete" } : { ...change, type: "put", entry: before };
      this.#apply(inverse, [], 0);
      this.#seen = change.revision - 1;
    }
    this.#batch = [];
  }

  #open(written: readonly CommittedChange[]): void {
    this.#seen = (written[0]?.revision ?? this.#deps.store.revision() + 1) - 1;
    for (const { key } of this.#deps.store.list(storePrefix(resourceQuotas, "")).entries) {
      this.#quotasOf(parseStoreKey(key).namespace);
    }
    for (const namespace of this.#namespaces.values()) namespace.loadQuotas([]);
  }

  /**
   * `batch`: the changes around this change, which is at `index`. The store may not show them yet.
   */
  #apply(change: CommittedChange, batch: readonly CommittedChange[], index: number): void {
    const isQuota = change.resource === quotaResource;
    if (!isQuota && this.#namespaces.size === 0) return;
    const { namespace } = parseStoreKey(change.entry.key);
    if (!isQuota) {
      this.#namespaces.get(namespace)?.change(change);
      return;
    }
    const quotas = this.#quotasOf(namespace);
    quotas.change(change);
    quotas.changeQuota(change, batch.slice(0, index + 1));
    if (quotas.isEmpty) this.#namespaces.delete(namespace);
  }

  #quotasOf(namespace: string): NamespaceQuotas {
    let quotas = this.#namespaces.get(namespace);
    if (quotas === undefined) {
      quotas = new NamespaceQuotas(this.#deps.store, namespace);
      this.#namespaces.set(namespace, quotas);
    }
    return quotas;
  }
}
