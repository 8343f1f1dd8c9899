import { type Logger, serviceUnavailable } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type Store, StoreUnavailable } from "@kintsugi/store";
import type { WatchHub } from "./hub.ts";

export interface FreshnessProofDeps {
  store: Pick<Store, "fresh">;
  hub: Pick<WatchHub, "close">;
  clock: Clock;
  log: Logger;
}

/** Interval at which the server verifies that its cache contains all writes of other servers. */
const proofIntervalMs = 1_000;
/**
 * A server whose last proof is older than this is not ready, and does not start watches. An etcd
 * replaces its leader within 1 to 2 s, and a proof may take 3 s.
 */
const unreadyAfterMs = 4_000;
/** Age of the last proof at which watches end, so that clients reconnect to a current server. */
const watchesEndAfterMs = 10_000;

/**
 * The proof that this server's memory shows the writes of the other servers. A single server does
 * not need a proof, and always counts as proven.
 */
export class FreshnessProof {
  readonly #deps: FreshnessProofDeps;
  /** Undefined while no other server can be ahead. */
  #provenAtMs: number | undefined;

  constructor(deps: FreshnessProofDeps) {
    this.#deps = deps;
  }

  get isProven(): boolean {
    return this.#ageMs() <= unreadyAfterMs;
  }

  /** The age of the last proof; undefined where no proof is needed, or before the first attempt. */
  get ageMs(): number | undefined {
    return this.#provenAtMs === undefined ? undefined : this.#ageMs();
  }

  /** @throws ApiError ServiceUnavailable while memory may lag behind other servers. */
  check(): void {
    if (!this.isProven)
      throw serviceUnavailable("this server may lack the newest changes because it cannot reach etcd");
  }

  /**
   * Periodically proves freshness until the signal aborts. Ends immediately where no proof is
   * needed.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { store, hub, clock, log } = this.#deps;
    for (let isLate = false; !signal.aborted;) {
      const sentMs = clock.monotonicMs();
      const proof = store.fresh();
      if (proof === undefined) return;
      this.#provenAtMs ??= sentMs;
      try {
        await proof;
        if (isLate) log.info("memory is proven to show everything again");
        this.#provenAtMs = sentMs;
        isLate = false;
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        if (!isLate) log.warn("memory may be behind other servers", { error });
        isLate = true;
        if (this.#ageMs() > watchesEndAfterMs) hub.close();
      }
      await clock.sleep(proofIntervalMs, signal).catch(() => {});
    }
  }

  #ageMs(): number {
    return this.#provenAtMs === undefined ? 0 : this.#deps.clock.monotonicMs() - this.#provenAtMs;
  }
}
