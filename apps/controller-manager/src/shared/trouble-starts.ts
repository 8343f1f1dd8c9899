/**
 * Records the time at which each trouble of a pod began. The API's wall time is read once, when a
 * trouble is first seen, so that a restart keeps the start times. From then on the time is measured
 * on the monotonic clock, so that a jump of wall time never evicts a pod.
 */
export class TroubleStarts {
  /** The starts by trouble, by pod UID; only pods with troubles have an entry. */
  readonly #byPod = new Map<string, ReadonlyMap<string, number>>();

  /**
   * Records the pod's troubles, removes those that have ended, and returns the start of each
   * remaining trouble.
   * @param troubles for each trouble the start that the API's records show, in monotonic ms
   */
  observe(podUid: string, troubles: ReadonlyMap<string, () => number>): ReadonlyMap<string, number> {
    const before = this.#byPod.get(podUid);
    const now = new Map([...troubles].map(([trouble, firstSeen]) => [trouble, before?.get(trouble) ?? firstSeen()]));
    if (now.size === 0) this.#byPod.delete(podUid);
    else this.#byPod.set(podUid, now);
    return now;
  }

  forget(podUid: string): void {
    this.#byPod.delete(podUid);
  }
}
