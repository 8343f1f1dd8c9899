import { type Commit, isSelected, type ListedItem, type Selector, type WatchEvent } from "./history.ts";

/** The committed changes, with the state of each key at each revision. */
export class CommitLog {
  readonly commits: readonly Commit[];
  readonly #byRevision = new Map<number, Commit>();
  readonly #byKey = new Map<string, Commit[]>();
  readonly #before = new Map<Commit, Commit>();
  readonly #after = new Map<Commit, Commit>();

  /**
   * Commits in order of revision. `checkRevisions` reports commits whose revisions do not rise.
   */
  constructor(commits: readonly Commit[]) {
    this.commits = [...commits].sort((one, other) => one.revision - other.revision);
    for (const commit of this.commits) {
      const ofKey = this.#byKey.get(commit.key) ?? [];
      this.#byKey.set(commit.key, ofKey);
      const before = ofKey.at(-1);
      if (before) {
        this.#before.set(commit, before);
        this.#after.set(before, commit);
      }
      ofKey.push(commit);
      this.#byRevision.set(commit.revision, commit);
    }
  }

  get lastRevision(): number {
    return this.commits.at(-1)?.revision ?? 0;
  }

  find(revision: number): Commit | undefined {
    return this.#byRevision.get(revision);
  }

  ofKey(key: string): readonly Commit[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The commit of the same key that was current before this commit, if the key had an object. */
  replacedBy(commit: Commit): Commit | undefined {
    const before = this.#before.get(commit);
    return before?.type === "put" ? before : undefined;
  }

  /** The revision at which this commit is superseded: the revision of the key's next commit. */
  untilRevision(commit: Commit): number {
    return this.#after.get(commit)?.revision ?? Infinity;
  }

  /** The commits after the first revision, up to and including the second. */
  between(after: number, until: number): readonly Commit[] {
    const start = this.#indexAfter(after);
    return until === Infinity ? this.commits.slice(start) : this.commits.slice(start, this.#indexAfter(until));
  }

  /** Lists the items of every key under the prefix at the revision, in the order of keys. */
  itemsAt(revision: number, prefix: string, selector?: Selector): ListedItem[] {
    const items: ListedItem[] = [];
    for (const [key, commits] of this.#byKey) {
      if (!key.startsWith(prefix)) continue;
      const current = commits.findLast((commit) => commit.revision <= revision);
      if (current?.type !== "put" || !isSelected(current.value, selector)) continue;
      items.push({ key, revision: current.revision, value: current.value });
    }
    return items.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  /**
   * Returns the event of this commit for a watch of the prefix; undefined if the selector excludes
   * it.
   */
  eventOf(commit: Commit, prefix: string, selector?: Selector): Omit<WatchEvent, "atMs"> | undefined {
    if (!commit.key.startsWith(prefix)) return undefined;
    const before = this.replacedBy(commit);
    const wasSelected = before !== undefined && isSelected(before.value, selector);
    const isNow = commit.type === "put" && isSelected(commit.value, selector);
    const { key, revision, value } = commit;
    if (isNow) return { type: wasSelected ? "MODIFIED" : "ADDED", key, revision, value };
    return wasSelected ? { type: "DELETED", key, revision, value: before.value } : undefined;
  }

  /** The index of the first commit after the revision. */
  #indexAfter(revision: number): number {
    let low = 0;
    let high = this.commits.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.commits[middle]?.revision ?? Infinity) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
