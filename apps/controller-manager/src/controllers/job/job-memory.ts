import type { Job } from "@kintsugi/api";
import type { Failures } from "@kintsugi/rules";

/** The facts about one Job that a restart may forget. */
interface Known {
  uid: string;
  /** The Job as this process has written it last, until the copy is as new. */
  written: Job | undefined;
  /** The revision of another client's write of the Job that was seen last. */
  foreign: string;
  /** The copy of the pods has to show this revision before it is believed. */
  trustFrom: number;
  /** A write had an unknown outcome: the live list decides. */
  askServer: boolean;
  /** Names with which pods may have been created. */
  unsettled: readonly string[];
  /** UIDs of pods whose finalizer was removed, until the copy shows it. */
  readonly released: Set<string>;
  /** Undefined until the Job's pods were seen. */
  failures: Failures | undefined;
}

// The copy of the pods may be older than the status, which would then count a pod twice: its
// finalizer is still in the copy, and the status no longer names it. So a status that
// another process has written is combined only with pods that are at least as new:
//
//   the status is this process's own          the copy, with the finalizers removed since
//   another client's, and the copy is newer   the copy
//   another client's, and the copy is older   a live list, until the copy has come as far

/** Memory about Jobs; it only ever gives reasons for more caution. */
export class JobMemory {
  readonly #jobs = new Map<string, Known>();

  /** The newest state of the Job that this process knows. */
  newest(key: string, cached: Job): Job {
    const known = this.#of(key, cached);
    const { written } = known;
    if (written !== undefined && revisionOf(written) >= revisionOf(cached)) return written;
    known.written = undefined;
    const { resourceVersion = "" } = cached.metadata;
    if (known.foreign !== resourceVersion) {
      known.foreign = resourceVersion;
      // No process has counted pods of a Job that was never started.
      if (cached.status?.startTime !== undefined) known.trustFrom = Math.max(known.trustFrom, revisionOf(cached));
    }
    return cached;
  }

  get(key: string): Readonly<Known> | undefined {
    return this.#jobs.get(key);
  }

  /** Reports whether the pods have to be listed live, now that the copy is at this revision. */
  isInDoubt(key: string, position: number): boolean {
    const known = this.#jobs.get(key);
    return known !== undefined && (known.askServer || position < known.trustFrom);
  }

  wrote(key: string, job: Job): void {
    const known = this.#jobs.get(key);
    if (known !== undefined) known.written = job;
  }

  /** The pods were listed live: `names` exist. */
  listed(key: string, revision: number, names: ReadonlySet<string>): void {
    const known = this.#jobs.get(key);
    if (known === undefined) return;
    known.askServer = false;
    known.trustFrom = Math.max(known.trustFrom, revision);
    known.unsettled = known.unsettled.filter((name) => !names.has(name));
  }

  /** Pods may or may not have been created with these names, or deleted. */
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

  /** The copy shows the pod without its finalizer, or that it no longer exists. */
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
