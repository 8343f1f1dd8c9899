// A check of a budget reads the pods from the server, while other checks run concurrently. Its list
// may be older than the events that it receives afterwards:
//
//   it        lists pods … the server reads: a is Ready …     … responds: it counts a as healthy
//   another            deletes a … its end is in the cache: a is forgotten
//
// A forgotten pod therefore still counts as leaving for a judge that had begun to read before that.

/** UIDs of pods whose deletion is in progress. Each judgement has its own view of the pods. */
export class LeavingPods {
  readonly #leaving = new Set<string>();
  /** UIDs of removed pods, with the times at which they were removed from this list. */
  readonly #forgotten = new Map<string, number>();
  /** The start of each judgement that has not ended. */
  readonly #begun = new Set<{ readonly at: number }>();
  #now = 0;

  add(uid: string): void {
    this.#leaving.add(uid);
  }

  /** Records that the pod is not deleted after all. */
  stay(uid: string): void {
    this.#leaving.delete(uid);
  }

  /**
   * Records that a check that reads the pods from now on finds the deletion of the pod, or does not
   * find the pod.
   */
  forget(uid: string): void {
    if (this.#leaving.delete(uid) && this.#begun.size > 0) this.#forgotten.set(uid, ++this.#now);
  }

  /** The caller must call this before it reads the pods, and `end` afterwards. */
  beginJudgement(): { leaving: () => ReadonlySet<string>; end: () => void } {
    const begun = { at: this.#now };
    this.#begun.add(begun);
    return {
      leaving: () => {
        const since = [...this.#forgotten].filter(([, at]) => at > begun.at).map(([uid]) => uid);
        return new Set([...this.#leaving, ...since]);
      },
      end: () => {
        this.#begun.delete(begun);
        const oldest = Math.min(...[...this.#begun].map(({ at }) => at));
        for (const [uid, at] of this.#forgotten) if (at <= oldest) this.#forgotten.delete(uid);
      },
    };
  }
}
