// Who decides about a budget reads the pods from the server, and meanwhile others decide too. What
// he has read may be older than what he hears afterwards:
//
//   he        asks for the pods … the server reads them: a is Ready …            … and answers: he counts a as healthy
//   another                                                  deletes a … its end is in the cache: a is forgotten
//
// So a pod that is forgotten still counts as leaving for whoever had begun to read before that.

/** UIDs of pods whose deletion is under way, as each judgement has to see them. */
export class LeavingPods {
  readonly #leaving = new Set<string>();
  /** Those that were forgotten, by when. */
  readonly #forgotten = new Map<string, number>();
  /** When each judgement that has not ended began. */
  readonly #begun = new Set<{ readonly at: number }>();
  #now = 0;

  add(uid: string): void {
    this.#leaving.add(uid);
  }

  /** It is not leaving after all. */
  stay(uid: string): void {
    this.#leaving.delete(uid);
  }

  /** Whoever reads it from now on sees by itself that it is going, or gone. */
  forget(uid: string): void {
    if (this.#leaving.delete(uid) && this.#begun.size > 0) this.#forgotten.set(uid, ++this.#now);
  }

  /** To be called before the pods are read. `end` has to follow. */
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
