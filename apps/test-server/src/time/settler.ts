import type { Clock } from "@kintsugi/clock";
import type { Activity } from "../cluster/activity.ts";

export interface SettlerDeps {
  real: Clock;
  activity: Pick<Activity, "isQuiet" | "events" | "piecesSentOutside" | "outsideQuietMs">;
}

export interface SettlerOptions {
  /**
   * Clients outside are waited for until none of them has made a request for so long; 0: not at
   * all.
   */
  giveClientsMs: number;
}

/** Work that has no request under way, such as a promise chain, goes on within so many turns. */
const quietTurns = 4;
/** The work of one instant takes milliseconds; a webhook may take upstream's longest time. */
const settleMaxMs = 30_000;
/** A client that never rests, such as one that polls, does not hold the clock up for longer. */
const clientsMaxMs = 5_000;
const clientsLookMs = 1;

/** Waits for the end of the work that an instant of the cluster's clock has begun, in real time. */
export class Settler {
  readonly #deps: SettlerDeps;
  readonly #options: SettlerOptions;
  #sentBefore: number;

  constructor(deps: SettlerDeps, options: SettlerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#sentBefore = deps.activity.piecesSentOutside;
  }

  /** @returns false where the work goes on for too long. */
  async settle(): Promise<boolean> {
    const untilMs = this.#deps.real.monotonicMs() + settleMaxMs;
    for (;;) {
      if (!(await this.#settleInside(untilMs))) return false;
      const { piecesSentOutside } = this.#deps.activity;
      // Clients that were sent nothing have nothing to react to.
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
