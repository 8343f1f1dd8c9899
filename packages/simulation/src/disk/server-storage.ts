import type { Clock } from "@kintsugi/clock";
import type { Store } from "@kintsugi/store";
import type { MemoryStore } from "@kintsugi/store/testing";
import type { Life } from "../process/life.ts";
import { CommittedLog, type CommittedStore } from "./committed-log.ts";
import { storeSession } from "./store-session.ts";

/** The storage of the api-server's store. */
export interface ServerStorage {
  readonly committed: CommittedStore;
  /** The store as it was opened last: in use while that process lives. */
  readonly store: Store | undefined;
  /**
   * Opens the store for one life of the process.
   * @throws when its contents cannot be trusted.
   */
  open(life: Life, clock: Clock): Promise<Store>;
}

/** A store that outlives the process as it is: nothing is written, and nothing can be lost. */
export class LastingMemory implements ServerStorage {
  readonly committed = new CommittedLog();
  readonly store: MemoryStore;

  constructor(store: MemoryStore) {
    this.store = store;
    this.committed.opened(store);
  }

  async open(life: Life): Promise<Store> {
    return storeSession(this.store, life, this.committed);
  }
}
