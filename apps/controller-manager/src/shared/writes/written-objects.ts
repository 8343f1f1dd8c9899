import type { ApiObject } from "@kintsugi/api";

/** The cache in which writes have to appear. */
interface Copy {
  position(): number;
}

/**
 * A cache that lacks a write of this process is read again after this time, unless a change comes
 * first; upstream's first delay.
 */
export const behindRetryMs = 1000;

/**
 * Records this process's writes for each owner, so that plans are never based on a cache that lacks
 * them: endpoints would be put into a second slice, and a rollout would use the same surge twice.
 * The record is lost at a restart, which begins with a new cache. Upstream does so for some
 * controllers since 1.36 (KEP-5647).
 */
export class WrittenObjects {
  readonly #copy: Copy;
  /**
   * The revision of the last write, or its deletion, by owner and by UID of the object. Entries are
   * removed with objects, and with owners.
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

  /** Reports whether the cache, which contains `objects`, lacks a write. */
  isAheadOf(key: string, objects: readonly ApiObject[]): boolean {
    const written = this.#owners.get(key);
    if (written === undefined) return false;
    const shown = new Set(objects.map(({ metadata }) => metadata.uid ?? ""));
    for (const [uid, revision] of written) {
      if (revision === "deleted" ? shown.has(uid) : revision > this.#copy.position()) return true;
      // The cache is newer than the write and does not contain the object, so the object was
      // removed before the cache received it.
      if (!shown.has(uid)) written.delete(uid);
    }
    return false;
  }

  /** Reports whether another client has written the object since this process's last write. */
  isNews(key: string, object: ApiObject): boolean {
    const revision = this.#owners.get(key)?.get(object.metadata.uid ?? "");
    return revision === undefined || (revision !== "deleted" && revisionOf(object) > revision);
  }

  /** Records that the object was removed. Returns true if another client deleted it. */
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
