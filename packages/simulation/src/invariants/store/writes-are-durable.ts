import { messageOf } from "@kintsugi/api";
import type { Entry, Store } from "@kintsugi/store";
import type { Invariant } from "../invariant.ts";

/**
 * Every reported or acknowledged write is present, byte for byte, each time the store is opened
 * again, and only a later write replaces it. A write that was not reported to a client may be
 * present or not.
 */
export function writesAreDurable(): Invariant {
  const shownEntries = new Map<string, Entry>();
  let lastIdentity: { clusterId: string; historyId: string } | undefined;
  let lastRevision = 0;

  return {
    name: "writes-are-durable",
    never:
      "a shown or acknowledged write that is not present, byte for byte, when the store is opened again; a response that is sent before its commit; an undamaged disk that is rejected",
    change({ type, entry, revision }) {
      lastRevision = revision;
      if (type === "put") shownEntries.set(entry.key, entry);
      else shownEntries.delete(entry.key);
    },
    opened(store, check) {
      check(findLoss(store));
    },
    refused(error, check) {
      const because = messageOf(error);
      check(`an undamaged disk is rejected: ${because}`);
    },
    answered(key, { revision }, check) {
      const isCommitted = revision <= lastRevision;
      check(
        isCommitted
          ? undefined
          : `revision ${revision} of ${key} was acknowledged, but the last revision is ${lastRevision}`,
      );
    },
  };

  /** Explains the fault in the contents that a process has found on the disk. */
  function findLoss(store: Store): string | undefined {
    const identity = { clusterId: store.clusterId, historyId: store.historyId };
    const before = lastIdentity;
    lastIdentity = identity;
    if (before && before.clusterId !== identity.clusterId)
      return `the store of cluster ${before.clusterId} was opened as the store of ${identity.clusterId}`;
    if (before && before.historyId !== identity.historyId) return beginHistory(store);
    if (store.revision() < lastRevision)
      return `revision ${lastRevision} was shown, but after a restart the store ends at ${store.revision()}`;
    for (const entry of store.list("").entries) {
      const because = findForeign(entry);
      if (because !== undefined) return because;
    }
    for (const { key, revision } of shownEntries.values()) {
      if (!store.find(key) && !isDeletedLater(store, key))
        return `${key} of revision ${revision} was shown, but does not exist after a restart`;
    }
    return undefined;
  }

  function findForeign({ key, revision, value }: Entry): string | undefined {
    if (revision > lastRevision) return undefined;
    const shown = shownEntries.get(key);
    if (!shown) return `${key} of revision ${revision} exists after a restart, but did not exist before`;
    if (shown.revision !== revision)
      return `${key} was shown at revision ${shown.revision}, but after a restart it is at revision ${revision}`;
    if (Buffer.compare(shown.value, value) !== 0)
      return `${key} of revision ${revision} has other bytes after a restart`;
    return undefined;
  }

  function isDeletedLater(store: Store, key: string): boolean {
    const resource = key.split("/", 2).join("/");
    return store.changesSince(resource, lastRevision).some(({ type, entry }) => type === "delete" && entry.key === key);
  }

  /**
   * The history after a restore is the backup's history. New revisions must be higher than all
   * revisions that were ever reported.
   */
  function beginHistory(store: Store): string | undefined {
    const shown = lastRevision;
    shownEntries.clear();
    for (const entry of store.list("").entries) shownEntries.set(entry.key, entry);
    lastRevision = store.revision();
    return lastRevision > shown ? undefined : `a new history begins at ${lastRevision}, but ${shown} was shown`;
  }
}
