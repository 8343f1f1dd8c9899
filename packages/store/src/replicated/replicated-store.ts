import type { Clock, Random } from "@kintsugi/clock";
import type { PendingUpdate } from "../commit/batch.ts";
import { LoggedStore } from "../commit/logged-store.ts";
import { type EventLog, silentEventLog } from "../event-log.ts";
import { resourceOfKey } from "../object-key.ts";
import { StoreState } from "../state/store-state.ts";
import { type StoreOptions, windowLimitsFor, withDefaults } from "../store-options.ts";
import { type CommittedChange, CommitTimeout, type Entry, StoreUnavailable } from "../store.ts";
import { Replica, type ShownChanges } from "./replica.ts";
import type { StoredValues } from "../stored-values.ts";
import type { ReplicatedLog } from "./replicated-log.ts";
import { SealedLog } from "./sealed-log.ts";

export interface ReplicatedStoreDeps {
  log: ReplicatedLog;
  clock: Clock;
  random: Random;
  /** Default silent. */
  events?: EventLog;
  /** This replica's name in its commits, without a space. Default none. */
  writer?: string | undefined;
  /** The encoding of values in the log. Default unchanged. */
  values?: StoredValues | undefined;
}

export interface ReplicatedStoreOptions extends StoreOptions {
  /**
   * Time between two commits with a mark: a starting replica reads at most the changes of this time
   * in addition to the necessary changes. Default 60 s.
   */
  markIntervalMs: number;
}

const markIntervalMsDefault = 60_000;
/**
 * Time after which a write that is not in the log is answered without an outcome. An etcd leader is
 * replaced within 1 to 2 s.
 */
const updateTimeoutMs = 10_000;
/** Time that closing waits for the writes in flight. */
const closeTimeoutMs = 3_000;

/** One replica of a store whose log several replicas share. */
export class ReplicatedStore extends LoggedStore {
  readonly #replica: Replica;
  readonly #clock: Clock;

  /**
   * Reads the state and its windows, and then follows the log.
   * @throws LogUnreachable, StoreUnavailable, ValueSealed
   */
  static async open(
    deps: ReplicatedStoreDeps,
    options: Partial<ReplicatedStoreOptions> = {},
  ): Promise<ReplicatedStore> {
    const { clock, random, events = silentEventLog, values, writer } = deps;
    const log = values === undefined ? deps.log : new SealedLog(deps.log, values);
    const { markIntervalMs = markIntervalMsDefault, ...others } = options;
    const settings = withDefaults(others);
    const [clusterId, historyId, nonce] = [random.uuid(), random.uuid(), random.uuid()];
    const first = { clusterId, historyId, historyStart: 0, revision: 0, nonce };
    const head = await log.begin(first, { atMs: clock.nowMs(), revision: 0, lastRevisions: {} });
    const { mark, position } = await log.markAt(clock.nowMs() - settings.windowMs);
    const state = new StoreState(
      { windowLimitsOf: windowLimitsFor(settings) },
      { historyStart: head.historyStart, floors: new Map(Object.entries(mark.lastRevisions)) },
    );
    for await (const page of log.entriesAt(position)) {
      for (const entry of page) state.applyForgotten(forgottenPut(entry));
    }
    state.advanceTo(mark.revision);
    const start = { head: { ...head, revision: mark.revision, nonce: "" }, position, markAtMs: mark.atMs };
    const shown: ShownChanges = { show: () => {}, fail: () => {} };
    const replica = new Replica({ log, state, clock, random, shown }, { markIntervalMs, writer }, start);
    const store = new ReplicatedStore({ clusterId: head.clusterId, historyId: head.historyId, state, clock, replica });
    shown.show = (changes) => store.committer.show(changes);
    shown.fail = (error) => void store.committer.fail(error);
    try {
      store.#replica.follow();
      await store.#replica.caughtUp();
    } catch (error) {
      await store.close();
      throw error;
    }
    events.info("store opened", { revision: state.revision, objects: state.count(""), from: mark.revision });
    return store;
  }

  private constructor(deps: {
    clusterId: string;
    historyId: string;
    state: StoreState;
    clock: Clock;
    replica: Replica;
  }) {
    super({ ...deps, log: deps.replica });
    this.#replica = deps.replica;
    this.#clock = deps.clock;
  }

  override fresh(): Promise<void> {
    return this.#replica.fresh();
  }

  override reached(revision: number, timeoutMs: number): Promise<void> {
    return this.#replica.reached(revision, timeoutMs);
  }

  override async close(): Promise<void> {
    const stop = new AbortController();
    const late = this.#clock.sleep(closeTimeoutMs, stop.signal).catch(() => {});
    await Promise.race([this.committer.close(), late]);
    stop.abort(new Error("the store is closed"));
    // The log is closed first, so that appends to a log that does not answer end.
    await this.#replica.close();
    await super.close();
  }

  protected override add(update: PendingUpdate): void {
    const timer = this.#clock.after(updateTimeoutMs, () => {
      own.isGivenUp = true;
      update.reject(
        own.isSent === true
          ? new CommitTimeout(`the log did not answer within ${updateTimeoutMs / 1000} s`)
          : new StoreUnavailable(
              `the log has not accepted writes for ${updateTimeoutMs / 1000} s; nothing was written`,
            ),
      );
    });
    const own: PendingUpdate = {
      ...update,
      resolve: (committed) => {
        timer.cancel();
        update.resolve(committed);
      },
      reject: (error) => {
        timer.cancel();
        update.reject(error);
      },
    };
    super.add(own);
  }
}

/** An entry that was written before the windows begin. */
function forgottenPut(entry: Entry): CommittedChange {
  const { key, revision } = entry;
  return { revision, resource: resourceOfKey(key), previousOfResource: 0, type: "put", entry, before: undefined };
}
