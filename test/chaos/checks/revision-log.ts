import { storedTypes } from "@kintsugi/api/testing";
import { type Clock, systemClock } from "@kintsugi/clock";
import { type Commit, commitOf, Invariants, type Violation } from "@kintsugi/simulation";
import type { CommittedChange, Store } from "@kintsugi/store";
import { loadObjects } from "../load/objects.ts";

/** The invariants that do not need the time of a change, which the log does not have. */
const timeless = [
  "revisions-rise",
  "uids-are-unique",
  "deletions-are-final",
  "bindings-hold",
  "nodes-are-not-overcommitted",
  "pods-are-bound-to-allowed-nodes",
  "owners-have-no-surplus-pods",
  "ended-pods-stay-ended",
  "pod-addresses-are-unique",
  "terminating-namespaces-stay-closed",
  "host-ports-are-unique",
  "rollouts-stay-within-surge",
  "ready-endpoints-serve",
];

/**
 * Opens the log in its present state, passes it to `use`, and closes it. @throws as
 * `RevisionLog.read`.
 */
export type LogReader = <T>(use: (store: Pick<Store, "changesSince">) => T) => Promise<T>;

/**
 * All commits, read from the log instead of the API, and checked against the invariants in the
 * order of their revisions.
 */
export class RevisionLog {
  readonly #reader: LogReader;
  readonly #invariants: Invariants;
  readonly #commits: Commit[] = [];
  #hear: (changes: readonly CommittedChange[]) => void = () => {};
  #revision = 0;
  #podChanges = 0;

  constructor(reader: LogReader) {
    this.#reader = reader;
    const store = {
      revision: () => 0,
      subscribe: (listener: (changes: readonly CommittedChange[]) => void) => {
        this.#hear = listener;
        return () => {};
      },
    };
    this.#invariants = new Invariants({ store, clock: standingClock, onViolation: () => {} }, { only: timeless });
  }

  /** The commits under the load's keys that were read. */
  get commits(): readonly Commit[] {
    return this.#commits;
  }

  get violation(): Violation | undefined {
    return this.#invariants.violation;
  }

  counts() {
    return { revisions: this.#revision, podChanges: this.#podChanges, checks: this.#invariants.checks };
  }

  /**
   * Reads the commits since the last time. Call it before compaction, which keeps the last 5 min,
   * can remove unread commits. @throws StoreCorrupt, or RevisionExpired when compaction has removed
   * unread commits.
   */
  async read(): Promise<void> {
    const changes = await this.#reader((store) =>
      storedTypes
        .map(({ group, resource }) => `${group === "" ? "core" : group}/${resource}`)
        // Events of both groups are stored under one resource.
        .filter((resource, index, all) => all.indexOf(resource) === index && resource !== "events.k8s.io/events")
        .flatMap((resource) => store.changesSince(resource, this.#revision)),
    );
    changes.sort((one, other) => one.revision - other.revision);
    this.#hear(changes);
    for (const change of changes) {
      this.#revision = change.revision;
      if (change.resource === "core/pods") this.#podChanges++;
      if (change.entry.key.startsWith(loadObjects.prefix)) this.#commits.push(commitOf(change));
    }
  }
}

/** A log is a single instant for checks that run afterwards. */
const standingClock: Clock = { ...systemClock, nowMs: () => 0, monotonicMs: () => 0 };
