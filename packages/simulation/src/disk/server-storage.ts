import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { MemoryStore } from "@kintsugi/store/simulated";
import type { Incarnation } from "../process/incarnation.ts";
import { CommittedLog, type CommittedStore } from "./committed-log.ts";
import { storeSession } from "./store-session.ts";

/** The storage of the api-server's store. */
export interface ServerStorage {
  readonly committed: CommittedStore;
  /** The store as the last process opened it; in use while this process runs. */
  readonly store: Store | undefined;
  /**
   * Opens the store for one incarnation of the process.
   * @throws when its contents cannot be trusted.
   */
  open(incarnation: Incarnation, clock: Clock): Promise<Store>;
}

/**
 * A store in memory that outlives the process. Its writes do not need a disk, and are never lost.
 */
export class LastingMemory implements ServerStorage {
  readonly committed = new CommittedLog();
  readonly store: MemoryStore;

  constructor(store: MemoryStore) {
    this.store = store;
    this.committed.opened(store);
  }

  async open(incarnation: Incarnation): Promise<Store> {
    return storeSession(this.store, incarnation, this.committed);
  }
}
