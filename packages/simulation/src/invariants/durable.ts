import type { Committed, CommittedChange, Entry, Store } from "@kintsugi/store";
import type { Check, Invariant } from "./invariant.ts";

/**
 * S1: whatever was shown or acknowledged is there, byte for byte, each time the store is opened again, and nothing in its place
 * but a later write. A write that nobody was told of may be there or not.
 */
export class Durable implements Invariant {
  readonly name = "S1";
  readonly never =
    "something shown or acknowledged that is not there, byte for byte, when the store is opened again; an answer before its commit; an undamaged disk that is refused";
  readonly #shown = new Map<string, Entry>();
  #identity: { clusterId: string; historyId: string } | undefined;
  #revision = 0;

  change({ type, entry, revision }: CommittedChange): void {
    this.#revision = revision;
    if (type === "put") this.#shown.set(entry.key, entry);
    else this.#shown.delete(entry.key);
  }

  opened(store: Store, check: Check): void {
    check(this.#lost(store));
  }

  refused(error: unknown, check: Check): void {
    const because = error instanceof Error ? error.message : String(error);
    check(`a disk that nobody has damaged is refused: ${because}`);
  }

  answered(key: string, { revision }: Committed<unknown>, check: Check): void {
    const isCommitted = revision <= this.#revision;
    check(
      isCommitted ? undefined : `revision ${revision} of ${key} was acknowledged, and ${this.#revision} is the last`,
    );
  }

  /** What is wrong with what a process has found on the disk. */
  #lost(store: Store): string | undefined {
    const identity = { clusterId: store.clusterId, historyId: store.historyId };
    const before = this.#identity;
    this.#identity = identity;
    if (before && before.clusterId !== identity.clusterId)
      return `the store of cluster ${before.clusterId} was opened as that of ${identity.clusterId}`;
    if (before && before.historyId !== identity.historyId) return this.#beginHistory(store);
    if (store.revision() < this.#revision)
      return `revision ${this.#revision} was shown, and after a restart the store ends at ${store.revision()}`;
    for (const entry of store.list("").entries) {
      const because = this.#foreign(entry);
      if (because !== undefined) return because;
    }
    for (const { key, revision } of this.#shown.values()) {
      if (!store.find(key) && !this.#isDeletedLater(store, key))
        return `${key} of revision ${revision} was shown, and is gone after a restart`;
    }
    return undefined;
  }

  #foreign({ key, revision, value }: Entry): string | undefined {
    if (revision > this.#revision) return undefined;
    const shown = this.#shown.get(key);
    if (!shown) return `${key} of revision ${revision} is there after a restart, and was not before it`;
    if (shown.revision !== revision)
      return `${key} was shown at revision ${shown.revision}, and after a restart it is that of ${revision}`;
    if (Buffer.compare(shown.value, value) !== 0)
      return `${key} of revision ${revision} has other bytes after a restart`;
    return undefined;
  }

  #isDeletedLater(store: Store, key: string): boolean {
    const resource = key.split("/", 2).join("/");
    return store
      .changesSince(resource, this.#revision)
      .some(({ type, entry }) => type === "delete" && entry.key === key);
  }

  /** After a restore the past is what the backup had; its revisions must be behind everything that was ever shown. */
  #beginHistory(store: Store): string | undefined {
    const shown = this.#revision;
    this.#shown.clear();
    for (const entry of store.list("").entries) this.#shown.set(entry.key, entry);
    this.#revision = store.revision();
    return this.#revision > shown ? undefined : `a new history begins at ${this.#revision}, and ${shown} was shown`;
  }
}
