import type { Clock } from "@kintsugi/clock";
import type { Activity } from "../cluster/activity.ts";

export interface SettlerDeps {
  real: Clock;
  activity: Pick<Activity, "isQuiet" | "events" | "piecesSentOutside" | "outsideQuietMs">;
}

export interface SettlerOptions {
  /**
   * The clock waits until outside clients have not sent a request for this time. With 0, the clock
   * does not wait.
   */
  giveClientsMs: number;
}

/**
 * Number of turns of the event loop within which work without a request in flight, such as a
 * promise chain, continues.
 */
const quietTurns = 4;
/**
 * The work of one step of the clock takes milliseconds; a webhook may take 30 s, upstream's
 * maximum.
 */
const settleMaxMs = 30_000;
/**
 * Time limit for a client that never rests, such as a client that polls, which must not delay the
 * clock longer.
 */
const clientsMaxMs = 5_000;
const clientsLookMs = 1;

/**
 * Waits in real time for the end of the work that an instant of the cluster's clock has started.
 */
export class Settler {
  readonly #deps: SettlerDeps;
  readonly #options: SettlerOptions;
  #sentBefore: number;

  constructor(deps: SettlerDeps, options: SettlerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sentBefore = deps.activity.piecesSentOutside;
  }

  /** @returns false if the work continues for too long. */
  async settle(): Promise<boolean> {
    const untilMs = this.#deps.real.monotonicMs() + settleMaxMs;
    for (;;) {
      if (!(await this.#settleInside(untilMs))) return false;
      const { piecesSentOutside } = this.#deps.activity;
      // Clients to which nothing was sent do not react.
      if (this.#options.giveClientsMs === 0 || piecesSentOutside === this.#sentBefore) return true;
      this.#sentBefore = piecesSentOutside;
      if (!(await this.#awaitClients())) return false;
    }
  }

  async #settleInside(untilMs: number): Promise<boolean> {
    const { real, activity } = this.#deps;
    let seen = -1;
    for (let quiet = 0; quiet < quietTurns;) {
      await real.nextTurn();
      quiet = activity.isQuiet && activity.events === seen ? quiet + 1 : 0;
      seen = activity.events;
      if (quiet === 0 && real.monotonicMs() > untilMs) return false;
    }
    return true;
  }

  async #awaitClients(): Promise<boolean> {
    const { real, activity } = this.#deps;
    const { giveClientsMs } = this.#options;
    const startMs = real.monotonicMs();
    for (;;) {
      const givenMs = real.monotonicMs() - startMs;
      if (Math.min(givenMs, activity.outsideQuietMs) >= giveClientsMs) return true;
      if (givenMs > clientsMaxMs) return false;
      await real.sleep(clientsLookMs);
    }
  }
}
