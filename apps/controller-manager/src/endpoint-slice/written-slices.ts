import type { EndpointSlice } from "@kintsugi/api";

/** The copy that writes are waited for in. */
interface Copy {
  position(): number;
}

/**
 * What this process has written of each Service's slices, so that nothing is planned from a copy that does not show it yet: endpoints
 * would be put into a second slice. Forgotten at a restart, which begins with a new copy.
 */
export class WrittenSlices {
  readonly #copy: Copy;
  /** By Service, by UID of the slice, the revision of the last write, or that it was deleted. Entries go with slices, and with Services. */
  readonly #services = new Map<string, Map<string, number | "deleted">>();

  constructor(copy: Copy) {
    this.#copy = copy;
  }

  written(key: string, slice: EndpointSlice): void {
    this.#of(key).set(slice.metadata.uid ?? "", revisionOf(slice));
  }

  deleted(key: string, slice: EndpointSlice): void {
    this.#of(key).set(slice.metadata.uid ?? "", "deleted");
  }

  /** Whether the copy, which shows `slices`, lacks a write. */
  isAheadOf(key: string, slices: readonly EndpointSlice[]): boolean {
    const written = this.#services.get(key);
    if (written === undefined) return false;
    const shown = new Set(slices.map(({ metadata }) => metadata.uid ?? ""));
    for (const [uid, revision] of written) {
      if (revision === "deleted" ? shown.has(uid) : revision > this.#copy.position()) return true;
      // The copy is past the write and has no such slice: it has gone unseen.
      if (!shown.has(uid)) written.delete(uid);
    }
    return false;
  }

  /** Whether somebody else has written the slice since. */
  isNews(key: string, slice: EndpointSlice): boolean {
    const revision = this.#services.get(key)?.get(slice.metadata.uid ?? "");
    return revision === undefined || (revision !== "deleted" && revisionOf(slice) > revision);
  }

  /** The slice has gone. Answers whether that is news: somebody else has deleted it. */
  noteGone(key: string, slice: EndpointSlice): boolean {
    const uid = slice.metadata.uid ?? "";
    const written = this.#services.get(key);
    const isNews = written?.get(uid) !== "deleted";
    written?.delete(uid);
    return isNews;
  }

  forget(key: string): void {
    this.#services.delete(key);
  }

  #of(key: string): Map<string, number | "deleted"> {
    const known = this.#services.get(key) ?? new Map<string, number | "deleted">();
    this.#services.set(key, known);
    return known;
  }
}

function revisionOf({ metadata }: EndpointSlice): number {
  return Number(metadata.resourceVersion);
}
