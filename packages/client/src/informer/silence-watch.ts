import type { ChangeStream } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";

/**
 * Two missed marks and a little more: a follower of a whole resource receives its mark every 5 s.
 * After this time the bus does not deliver although it is connected, or the relay has lost its
 * connection to the bus.
 */
const silenceMaxMs = 12_000;

/** One subscription that should not be silent. */
export interface Watched {
  heard(): void;
  cancel(): void;
}

interface Listening {
  heardMs: number;
  readonly onSilence: () => void;
}

/**
 * The silence of all subscriptions of one change stream, with one timer, because marks of all
 * resources arrive in one message.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #listening = new Set<Listening>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onSilence` once, after 12 s without a message, unless cancelled before. */
  watch(onSilence: () => void): Watched {
    const listening: Listening = { heardMs: this.#clock.monotonicMs(), onSilence };
    this.#listening.add(listening);
    this.#timer ??= this.#clock.after(silenceMaxMs, this.#look);
    return {
      heard: () => {
        listening.heardMs = this.#clock.monotonicMs();
      },
      cancel: () => {
        if (!this.#listening.delete(listening) || this.#listening.size > 0) return;
        this.#timer?.cancel();
        this.#timer = undefined;
      },
    };
  }

  readonly #look = (): void => {
    this.#timer = undefined;
    const nowMs = this.#clock.monotonicMs();
    let leftMs = Infinity;
    const silent: Listening[] = [];
    for (const listening of this.#listening) {
      const ownMs = listening.heardMs + silenceMaxMs - nowMs;
      if (ownMs > 0) leftMs = Math.min(leftMs, ownMs);
      else silent.push(listening);
    }
    for (const listening of silent) this.#listening.delete(listening);
    if (this.#listening.size > 0) this.#timer = this.#clock.after(leftMs, this.#look);
    for (const { onSilence } of silent) onSilence();
  };
}

/** The watch of each stream. A stream that is garbage-collected releases its watch. */
const watches = new WeakMap<ChangeStream, SilenceWatch>();

export function silenceWatchOf(changes: ChangeStream, clock: Clock): SilenceWatch {
  let watch = watches.get(changes);
  if (watch === undefined) {
    watch = new SilenceWatch(clock);
    watches.set(changes, watch);
  }
  return watch;
}
