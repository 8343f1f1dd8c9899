import type { Node, Pod, ReplicaSet } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { CommittedChange, Store } from "@kintsugi/store";
import { NodeRoom } from "./node-room.ts";
import { OwnedCounts } from "./owned-counts.ts";
import { podHistoryViolation } from "./pod-history.ts";

export interface Violation {
  /** "S9". The numbers are those of the table in test/simulation/README.md. */
  readonly invariant: string;
  readonly message: string;
  readonly revision: number;
  readonly atMs: number;
}

/** A cluster of a few nodes never has so much to do at one instant; one that does writes in a circle. */
const changesPerInstantMax = 2000;
/** Nor does any object change so often: Leases and statuses are written about once a second in the fastest profile. */
const changesOfOneMax = 60;
const windowMs = 10_000;

/** Looks at every committed change and remembers the first that no cluster may ever commit. */
export class Invariants {
  readonly #clock: Clock;
  readonly #room = new NodeRoom();
  readonly #owned: OwnedCounts;
  readonly #onViolation: () => void;
  readonly #instant = { atMs: -1, changes: 0 };
  /** Changes of each key within the current window. */
  readonly #ofKey = new Map<string, number>();
  #window = 0;
  #revision: number;
  readonly #checks = new Map<string, number>();
  #violation: Violation | undefined;

  /** @param deps `onViolation` has to end the cluster: one that writes in a circle would never let go. */
  constructor(deps: { store: Store; clock: Clock; onViolation: () => void }) {
    this.#onViolation = deps.onViolation;
    this.#clock = deps.clock;
    this.#owned = new OwnedCounts(deps.clock);
    this.#revision = deps.store.revision();
    deps.store.subscribe((changes) => {
      for (const change of changes) this.#look(change);
    });
  }

  /** How many single checks were made. */
  get checks(): number {
    return [...this.#checks.values()].reduce((sum, each) => sum + each, 0);
  }

  /** The same by the name of the check. */
  get checksByName(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#checks);
  }

  get violation(): Violation | undefined {
    return this.#violation;
  }

  #look(change: CommittedChange): void {
    const { revision, resource } = change;
    const follows = revision === this.#revision + 1;
    this.#check("S3", revision, follows ? undefined : `revision ${revision} follows ${this.#revision}`);
    this.#revision = revision;
    this.#check("no circle", revision, this.#crowding(change));
    if (resource === "core/pods") this.#lookAtPod(change);
    else if (resource === "core/nodes") this.#room.putNode(parse<Node>(change.entry.value), change.type);
    else if (resource === "apps/replicasets") this.#owned.putSet(parse<ReplicaSet>(change.entry.value));
  }

  #crowding({ entry }: CommittedChange): string | undefined {
    const atMs = this.#clock.monotonicMs();
    if (this.#instant.atMs !== atMs) Object.assign(this.#instant, { atMs, changes: 0 });
    const window = Math.floor(atMs / windowMs);
    if (window !== this.#window) this.#ofKey.clear();
    this.#window = window;
    const ofKey = (this.#ofKey.get(entry.key) ?? 0) + 1;
    this.#ofKey.set(entry.key, ofKey);
    const last = () => `${entry.key}: ${Buffer.from(entry.value).toString()}`;
    if (++this.#instant.changes > changesPerInstantMax)
      return `${this.#instant.changes} changes at one instant, the last of ${last()}`;
    return ofKey > changesOfOneMax ? `${ofKey} changes within ${windowMs} ms of ${last()}` : undefined;
  }

  #lookAtPod({ revision, entry, before, type }: CommittedChange): void {
    const pod = parse<Pod>(entry.value);
    if (type === "delete") {
      this.#room.removePod(pod);
      this.#owned.removePod(pod);
      return;
    }
    if (before !== undefined) {
      const broken = podHistoryViolation(parse<Pod>(before.value), pod);
      this.#check(broken?.invariant ?? "S9", revision, broken?.message);
    }
    this.#check("S10", revision, this.#room.putPod(pod));
    this.#check("S12", revision, this.#owned.putPod(pod));
  }

  #check(invariant: string, revision: number, message: string | undefined): void {
    this.#checks.set(invariant, (this.#checks.get(invariant) ?? 0) + 1);
    if (message === undefined || this.#violation !== undefined) return;
    this.#violation = { invariant, message, revision, atMs: this.#clock.monotonicMs() };
    this.#onViolation();
  }
}

function parse<T>(value: Uint8Array): T {
  return JSON.parse(Buffer.from(value).toString()) as T;
}
