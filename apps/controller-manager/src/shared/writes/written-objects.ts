import type { ApiObject } from "@kintsugi/api";

/** The copy that writes are waited for in. */
interface Copy {
  position(): number;
}

/**
 * After how long a copy that lacks a write of this process is looked at again, should no change of
 * it do so before; upstream's first delay.
 */
export const behindRetryMs = 1000;

/**
 * What this process has written for each owner, so that nothing is planned from a copy that does
 * not show it yet: endpoints would be put into a second slice, and a rollout would give away the
 * room that its last step has taken. Forgotten at a restart, which begins with a new copy. Upstream
 * does so for some controllers since 1.36 (KEP-5647).
 */
export class WrittenObjects {
  readonly #copy: Copy;
  /**
   * By owner, by UID of the object, the revision of the last write, or that it was deleted. Entries
   * go with objects, and with owners.
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

  /** Whether the copy, which shows `objects`, lacks a write. */
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

  /** Whether somebody else has written the object since. */
  isNews(key: string, object: ApiObject): boolean {
    const revision = this.#owners.get(key)?.get(object.metadata.uid ?? "");
    return revision === undefined || (revision !== "deleted" && revisionOf(object) > revision);
  }

  /** The object has gone. Answers whether that is news: somebody else has deleted it. */
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
