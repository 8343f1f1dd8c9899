import type { Clock } from "@kintsugi/clock";
import type { QuietPeriod } from "./quiet-period.ts";

/** Measures how long each of several troubles has lasted in a quiet period. */
export class LastingTroubles {
  readonly #deps: { clock: Pick<Clock, "monotonicMs">; quietPeriod: Pick<QuietPeriod, "forMs"> };
  readonly #sinceMs = new Map<string, number>();

  constructor(deps: { clock: Pick<Clock, "monotonicMs">; quietPeriod: Pick<QuietPeriod, "forMs"> }) {
    this.#deps = deps;
  }

  /**
   * Returns, for each present trouble, the time for which it has existed in a quiet period, in ms.
   * Troubles that have ended are dropped.
   */
  observe(troubles: ReadonlySet<string>): ReadonlyMap<string, number> {
    const { clock, quietPeriod } = this.#deps;
    const nowMs = clock.monotonicMs();
    for (const trouble of this.#sinceMs.keys()) if (!troubles.has(trouble)) this.#sinceMs.delete(trouble);
    return new Map(
      [...troubles].map((trouble) => {
        const sinceMs = this.#sinceMs.get(trouble) ?? nowMs;
        this.#sinceMs.set(trouble, sinceMs);
        return [trouble, Math.min(nowMs - sinceMs, quietPeriod.forMs)];
      }),
    );
  }
}
