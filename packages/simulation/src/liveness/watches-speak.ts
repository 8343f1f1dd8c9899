import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import type { InvariantContext } from "../invariants/invariant-list.ts";
import type { Check, Invariant } from "../invariants/invariant.ts";
import type { Known } from "../invariants/known.ts";

/** The server's bookmarks come at least once a minute. */
const silenceMaxMs = 60_000;
/** A minute that began while the server's clock ran as slow as it ever does (0.8): a timer keeps the pace at which it was set. */
const slowMinuteMs = silenceMaxMs / 0.8;
/** And may be under way, or a moment late. */
const slackMs = 5000;

/** L8, the half about watches: whoever waits hears at least that there is nothing to hear. */
export class WatchesSpeak implements Invariant {
  readonly name = "L8";
  readonly never =
    "in calm that has lasted for 75 s, a watch with bookmarks that for 65 s was sent neither an event nor a bookmark";
  readonly #calm: Calm;
  readonly #known: Known;
  readonly #clock: Clock;

  constructor({ calm, known, clock }: InvariantContext) {
    this.#calm = calm;
    this.#known = known;
    this.#clock = clock;
  }

  tick(check: Check): void {
    if (this.#calm.forMs <= slowMinuteMs) return;
    const nowMs = this.#clock.monotonicMs();
    for (const [{ path, identity }, { heardMs, isRead }] of this.#known.streams) {
      // What nobody reads any more, because its client is gone or cut off, has nothing to be sent.
      if (!isRead || !path.includes("allowWatchBookmarks=true")) continue;
      const silentMs = Math.min(nowMs - heardMs, this.#calm.forMs);
      const isSilent = silentMs > silenceMaxMs + slackMs;
      check(isSilent ? `the watch ${path} of ${identity.name} has been silent for ${silentMs} ms` : undefined);
    }
  }
}
