import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { storedTypes } from "@kintsugi/api/testing";
import { type Clock, systemClock, systemRandom } from "@kintsugi/clock";
import { type Commit, commitOf, Invariants, type Violation } from "@kintsugi/simulation";
import { type CommittedChange, LevelStore } from "@kintsugi/store";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";
import { signal } from "../cluster/processes.ts";
import { loadObjects } from "../load/objects.ts";

/** Windows so wide that nothing which the log still has is left out. */
const everything = { windowMs: 24 * 3_600_000, windowBytesMax: 2 ** 30 };

/** The invariants that need no time of a change: the log does not have it. */
const timeless = ["S3", "S7", "S8", "S9", "S10", "S11", "S12", "S22", "S24", "S32", "S34", "S35", "S38"];

/**
 * All that was ever committed, read from the disk itself, and held to the invariants in the order
 * of its revisions.
 */
export class RevisionLog {
  readonly #cluster: ChaosCluster;
  readonly #invariants: Invariants;
  readonly #commits: Commit[] = [];
  #hear: (changes: readonly CommittedChange[]) => void = () => {};
  #revision = 0;
  #podChanges = 0;

  constructor(cluster: ChaosCluster) {
    this.#cluster = cluster;
    const store = {
      revision: () => 0,
      subscribe: (listener: (changes: readonly CommittedChange[]) => void) => {
        this.#hear = listener;
        return () => {};
      },
    };
    this.#invariants = new Invariants({ store, clock: standingClock, onViolation: () => {} }, { only: timeless });
  }

  /** The commits under the load's keys, as far as they were read. */
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
   * Reads the commits since the last time: the api-server is paused for a moment and its store is
   * copied, as kill -9 at that moment would have left it. Opening the copy proves every record of
   * it. Call it before compaction can take unread commits: it leaves the last 5 min alone.
   * @throws StoreCorrupt, or RevisionExpired when it has taken more.
   */
  async read(): Promise<void> {
    const copy = join(this.#cluster.known.paths.data, "store-copy");
    await copyStore(this.#cluster, copy);
    const store = await LevelStore.open({
      ...everything,
      directory: copy,
      clock: systemClock,
      random: systemRandom,
      ballastBytes: 0,
    });
    const changes = storedTypes
      .map(({ group, resource }) => `${group === "" ? "core" : group}/${resource}`)
      // Events of both groups lie in one place.
      .filter((resource, index, all) => all.indexOf(resource) === index && resource !== "events.k8s.io/events")
      .flatMap((resource) => store.changesSince(resource, this.#revision));
    await store.close();
    await rm(copy, { recursive: true, force: true });
    changes.sort((one, other) => one.revision - other.revision);
    this.#hear(changes);
    for (const change of changes) {
      this.#revision = change.revision;
      if (change.resource === "core/pods") this.#podChanges++;
      if (change.entry.key.startsWith(loadObjects.prefix)) this.#commits.push(commitOf(change));
    }
  }
}

async function copyStore(cluster: ChaosCluster, copy: string): Promise<void> {
  const { store } = cluster.known.paths;
  const pid = await cluster.pid("api-server");
  await rm(copy, { recursive: true, force: true });
  signal(pid, "SIGSTOP");
  try {
    await cp(store, copy, { recursive: true, filter: (path) => !/\/(ballast|lost\+found)$/.test(path) });
  } finally {
    signal(pid, "SIGCONT");
  }
}

/** All of a log is one instant to checks that run afterwards. */
const standingClock: Clock = { ...systemClock, nowMs: () => 0, monotonicMs: () => 0 };
