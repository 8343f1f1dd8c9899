import type { Job } from "@kintsugi/api";
import type { Failures } from "@kintsugi/rules";

/** The facts about one Job that a restart may lose. */
interface Known {
  uid: string;
  /** The Job as this process last wrote it, until the cache is as new. */
  written: Job | undefined;
  /** The revision of the last known write of the Job by another client. */
  foreign: string;
  /** The cache of the pods is stale until it has reached this revision. */
  trustFrom: number;
  /** The outcome of a write is unknown, until a list from the server shows the outcome. */
  askServer: boolean;
  /** Names with which pods may have been created. */
  unsettled: readonly string[];
  /** UIDs of pods whose finalizer was removed, until the cache shows the removal. */
  readonly released: Set<string>;
  /** Undefined until the Job's pods have been read. */
  failures: Failures | undefined;
}

// The cache of the pods may be older than the status, which would then count a pod twice: its
// finalizer is still in the cache, and the status no longer names it. A status of another process
// is therefore combined only with pods that are at least as new:
//
//   the status is this process's own          the cache, with the finalizers removed since
//   another client's, and the cache is newer  the cache
//   another client's, and the cache is older  a live list, until the cache has caught up

/** Memory about Jobs. It only ever delays actions, so a restart may lose it. */
export class JobMemory {
  readonly #jobs = new Map<string, Known>();

  /** The newest state of the Job that this process has. */
  newest(key: string, cached: Job): Job {
    const known = this.#of(key, cached);
    const { written } = known;
    if (written !== undefined && revisionOf(written) >= revisionOf(cached)) return written;
    known.written = undefined;
    const { resourceVersion = "" } = cached.metadata;
    if (known.foreign !== resourceVersion) {
      known.foreign = resourceVersion;
      // The pods of a Job that never started have not been counted yet.
      if (cached.status?.startTime !== undefined) known.trustFrom = Math.max(known.trustFrom, revisionOf(cached));
    }
    return cached;
  }

  get(key: string): Readonly<Known> | undefined {
    return this.#jobs.get(key);
  }

  /** Reports whether the pods have to be listed live, given the cache's revision. */
  isInDoubt(key: string, position: number): boolean {
    const known = this.#jobs.get(key);
    return known !== undefined && (known.askServer || position < known.trustFrom);
  }

  wrote(key: string, job: Job): void {
    const known = this.#jobs.get(key);
    if (known !== undefined) known.written = job;
  }

  /** Records a live list of the pods, in which pods with these `names` exist. */
  listed(key: string, revision: number, names: ReadonlySet<string>): void {
    const known = this.#jobs.get(key);
    if (known === undefined) return;
    known.askServer = false;
    known.trustFrom = Math.max(known.trustFrom, revision);
    known.unsettled = known.unsettled.filter((name) => !names.has(name));
  }

  /** Records names of pods that may or may not have been created or deleted. */
  doubt(key: string, unsettled: readonly string[]): void {
    const known = this.#jobs.get(key);
    if (known === undefined) return;
    known.askServer = true;
    known.unsettled = unsettled;
  }

  settled(key: string): void {
    const known = this.#jobs.get(key);
    if (known !== undefined) known.unsettled = [];
  }

  released(key: string, uid: string): void {
    this.#jobs.get(key)?.released.add(uid);
  }

  /** Records that the cache shows the pod without its finalizer, or no longer contains the pod. */
  releaseObserved(key: string, uid: string): void {
    this.#jobs.get(key)?.released.delete(uid);
  }

  setFailures(key: string, failures: Failures): void {
    const known = this.#jobs.get(key);
    if (known !== undefined) known.failures = failures;
  }

  forget(key: string): void {
    this.#jobs.delete(key);
  }

  #of(key: string, { metadata }: Job): Known {
    const { uid = "" } = metadata;
    const known = this.#jobs.get(key);
    if (known?.uid === uid) return known;
    const fresh: Known = {
      uid,
      written: undefined,
      foreign: "",
      trustFrom: 0,
      askServer: false,
      unsettled: [],
      released: new Set(),
      failures: undefined,
    };
    this.#jobs.set(key, fresh);
    return fresh;
  }
}

function revisionOf({ metadata }: Job): number {
  return Number(metadata.resourceVersion);
}
