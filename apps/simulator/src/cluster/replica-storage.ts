import type { Clock } from "@kintsugi/clock";
import {
  CommittedLog,
  type SeededRandomSource,
  type Incarnation,
  mortal,
  type ServerStorage,
  storeSession,
} from "@kintsugi/simulation";
import {
  type LogFollower,
  type ReplicatedLog,
  ReplicatedStore,
  type ReplicatedStoreOptions,
  type Store,
} from "@kintsugi/store";
import type { MemoryLogConnection, SharedMemoryLog } from "@kintsugi/store/simulated";

/** The connection of one server's processes to the log that all servers share. */
export class ReplicaStorage implements ServerStorage {
  readonly committed = new CommittedLog();
  readonly #log: SharedMemoryLog;
  readonly #randomSource: SeededRandomSource;
  readonly #options: Partial<ReplicatedStoreOptions>;
  #store: ReplicatedStore | undefined;
  #connection: MemoryLogConnection | undefined;
  #isCut = false;

  /**
   * True if the copy of this replica receives each commit before the copies of all servers; for
   * observers only.
   */
  readonly #isPrompt: boolean;

  constructor(
    deps: { log: SharedMemoryLog; randomSource: SeededRandomSource; isPrompt?: boolean },
    options: Partial<ReplicatedStoreOptions>,
  ) {
    this.#isPrompt = deps.isPrompt ?? false;
    this.#log = deps.log;
    this.#randomSource = deps.randomSource;
    this.#options = options;
  }

  get store(): ReplicatedStore | undefined {
    return this.#store;
  }

  /** Cuts the server off from the log, for this process and later processes. */
  cut(): void {
    this.#isCut = true;
    this.#connection?.cut();
  }

  heal(): void {
    this.#isCut = false;
    this.#connection?.heal();
  }

  async open(incarnation: Incarnation, clock: Clock): Promise<Store> {
    const connection = this.#log.connect({ isPrompt: this.#isPrompt });
    this.#connection = connection;
    if (this.#isCut) connection.cut();
    // A dead process does not send further messages, but its last messages may have arrived.
    incarnation.onEnd(() => {
      connection.cut();
      void connection.close();
    });
    const random = this.#randomSource.of("replicas");
    const store = await ReplicatedStore.open({ log: heardBy(connection, incarnation), clock, random }, this.#options);
    this.#store = store;
    if (this.#isPrompt) this.committed.opened(store);
    return storeSession(store, incarnation, this.committed);
  }
}

/** The log in the view of one process: while the process is paused, commits and responses wait. */
function heardBy(connection: MemoryLogConnection, incarnation: Incarnation): ReplicatedLog {
  const heard = mortal<ReplicatedLog>(connection, incarnation);
  return new Proxy(heard, {
    get(target, name) {
      if (name !== "follow") return Reflect.get(target, name, target) as unknown;
      return (position: string, follower: LogFollower) =>
        connection.follow(position, {
          commit: (commit, at) => incarnation.whenAwake(() => follower.commit(commit, at)),
          failed: (error) => incarnation.whenAwake(() => follower.failed(error)),
        });
    },
  });
}
