import type { Clock } from "@kintsugi/clock";
import type { CommittedChange } from "@kintsugi/store";
import type { Check, Invariant } from "./invariant.ts";

/** A cluster of a few nodes never has so much to do at one instant; one that does writes in a circle. */
const changesPerInstantMax = 2000;
/**
 * Nor does any object change so often: Leases and statuses are written about once a second in the fastest profile. An owner counts
 * what it owns in its status, and may change with each change of that; so may budgets and endpoints with each change of a pod.
 */
const changesOfOneMax = 60;
/** They tell of pods that they do not own. */
const tellingOfPods: readonly string[] = [
  "policy/poddisruptionbudgets",
  "core/endpoints",
  "discovery.k8s.io/endpointslices",
];
const windowMs = 10_000;

/** Nobody answers his own writes, or two each other's, without end. */
export class NoCircle implements Invariant {
  readonly name = "no circle";
  readonly never =
    "more than 2,000 changes at one instant, or more than 60 of one object within 10 s besides those of what it counts";
  readonly #clock: Clock;
  readonly #instant = { atMs: -1, changes: 0 };
  /** Changes of each key within the current window. */
  readonly #ofKey = new Map<string, number>();
  /** Changes of what each owner owns, by its UID, likewise. */
  readonly #ofOwned = new Map<string, number>();
  /** Changes of pods, likewise. */
  #ofPods = 0;
  #window = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  change({ entry, resource }: CommittedChange, check: Check): void {
    const atMs = this.#clock.monotonicMs();
    if (this.#instant.atMs !== atMs) {
      this.#instant.atMs = atMs;
      this.#instant.changes = 0;
    }
    const window = Math.floor(atMs / windowMs);
    if (window !== this.#window) {
      this.#ofKey.clear();
      this.#ofOwned.clear();
      this.#ofPods = 0;
    }
    this.#window = window;
    const { uid, owners = [] } = entry.index;
    const ofKey = raise(this.#ofKey, entry.key);
    for (const owner of owners) raise(this.#ofOwned, owner);
    if (resource === "core/pods") this.#ofPods++;
    const counted = tellingOfPods.includes(resource) ? this.#ofPods : (this.#ofOwned.get(uid) ?? 0);
    const changesMax = changesOfOneMax + counted;
    const last = () => `${entry.key}: ${Buffer.from(entry.value).toString()}`;
    if (++this.#instant.changes > changesPerInstantMax)
      check(`${this.#instant.changes} changes at one instant, the last of ${last()}`);
    else check(ofKey > changesMax ? `${ofKey} changes within ${windowMs} ms of ${last()}` : undefined);
  }
}

function raise(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
