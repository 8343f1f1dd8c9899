import type { Invariant, InvariantContext } from "../invariant.ts";

/** The server's bookmarks come at least once a minute. */
const silenceMaxMs = 60_000;
/**
 * A minute that began while the server's clock ran as slow as it ever does (0.8): a timer keeps the
 * pace at which it was set.
 */
const slowMinuteMs = silenceMaxMs / 0.8;
/** And may be under way, or a moment late. */
const slackMs = 5000;

/** A watch on which nothing happens gets bookmarks. */
export function watchesHaveBookmarks({ quietPeriod, known, clock }: InvariantContext): Invariant {
  return {
    name: "watches-have-bookmarks",
    never:
      "in a quiet period that has lasted for 75 s, a watch with bookmarks that for 65 s was sent neither an event nor a bookmark",
    tick(check) {
      if (quietPeriod.forMs <= slowMinuteMs) return;
      const nowMs = clock.monotonicMs();
      for (const [{ path, identity }, { heardMs, isRead }] of known.streams) {
        // A stream without a reader, because its client has disconnected or cut off, needs no
        // bookmarks.
        if (!isRead || !path.includes("allowWatchBookmarks=true")) continue;
        const silentMs = Math.min(nowMs - heardMs, quietPeriod.forMs);
        const isSilent = silentMs > silenceMaxMs + slackMs;
        check(isSilent ? `the watch ${path} of ${identity.name} has been silent for ${silentMs} ms` : undefined);
      }
    },
  };
}
