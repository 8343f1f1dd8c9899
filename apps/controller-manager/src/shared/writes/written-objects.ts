import type { ApiObject } from "@kintsugi/api";

/** The copy that writes are waited for in. */
interface Copy {
  position(): number;
}

/**
 * A copy that lacks a write of this process is read again after this long, should no change of it
 * precede; upstream's first delay.
 */
export const behindRetryMs = 1000;

/**
 * Keeps this process's writes for each owner, so that nothing is planned from a copy that does not
 * show them yet: endpoints would be put into a second slice, and a rollout would give away the room
 * that its last step has taken. Forgotten at a restart, which begins with a new copy. Upstream does
 * so for some controllers since 1.36 (KEP-5647).
 */
export class WrittenObjects {
  readonly #copy: Copy;
  /**
   * The revision of the last write, or its deletion, by owner and by UID of the object. Entries go
   * with objects, and with owners.
   */
  readonly #owners = new Map<string, Map<string, number | "deleted">>();

  constructor(copy: Copy) {
    this.#copy = copy;
  }

  written(key: string, object: ApiObject): void {
    this.#of(key).set(object.metadata.uid ?? "", revisionOf(object));
  }

  deleted(key: string, object: ApiObject): void {
    this.#of(key).set(object.metadata.uid ?? "", "deleted");
  }

  /** Reports whether the copy, which shows `objects`, lacks a write. */
  isAheadOf(key: string, objects: readonly ApiObject[]): boolean {
    const written = this.#owners.get(key);
    if (written === undefined) return false;
    const shown = new Set(objects.map(({ metadata }) => metadata.uid ?? ""));
    for (const [uid, revision] of written) {
      if (revision === "deleted" ? shown.has(uid) : revision > this.#copy.position()) return true;
      // The copy is past the write and has no such object: it has gone unseen.
      if (!shown.has(uid)) written.delete(uid);
    }
    return false;
  }

  /** Reports whether another client has written the object since. */
  isNews(key: string, object: ApiObject): boolean {
    const revision = this.#owners.get(key)?.get(object.metadata.uid ?? "");
    return revision === undefined || (revision !== "deleted" && revisionOf(object) > revision);
  }

  /**
   * Records that the object has gone. Returns whether that is news: another client has deleted it.
   */
  noteGone(key: string, object: ApiObject): boolean {
    const uid = object.metadata.uid ?? "";
    const written = this.#owners.get(key);
    const isNews = written?.get(uid) !== "deleted";
    written?.delete(uid);
    return isNews;
  }

  forget(key: string): void {
    this.#owners.delete(key);
  }

  #of(key: string): Map<string, number | "deleted"> {
    const known = this.#owners.get(key) ?? new Map<string, number | "deleted">();
    this.#owners.set(key, known);
    return known;
  }
}

function revisionOf({ metadata }: ApiObject): number {
  return Number(metadata.resourceVersion);
}
