import type { Invariant, InvariantContext } from "../invariant.ts";

/** The server sends bookmarks at least once a minute. */
const silenceMaxMs = 60_000;
/**
 * The longest minute of a server whose clock ran at its slowest (0.8) when it began, because a
 * timer keeps the rate at which it was set.
 */
const slowMinuteMs = silenceMaxMs / 0.8;
/** A bookmark may be in flight, or a moment late. */
const slackMs = 5000;

/** A watch without events receives bookmarks. */
export function watchesHaveBookmarks({ quietPeriod, known, clock }: InvariantContext): Invariant {
  return {
    name: "watches-have-bookmarks",
    never:
      "in a quiet period that has lasted for 75 s, a watch with bookmarks that received neither an event nor a bookmark for 65 s",
    tick(check) {
      if (quietPeriod.forMs <= slowMinuteMs) return;
      const nowMs = clock.monotonicMs();
      for (const [{ path, identity }, { heardMs, isRead }] of known.streams) {
        // A stream without a reader, because its client has disconnected or was cut off, does not
        // need bookmarks.
        if (!isRead || !path.includes("allowWatchBookmarks=true")) continue;
        const silentMs = Math.min(nowMs - heardMs, quietPeriod.forMs);
        const isSilent = silentMs > silenceMaxMs + slackMs;
        check(isSilent ? `the watch ${path} of ${identity.name} has been silent for ${silentMs} ms` : undefined);
      }
    },
  };
}
