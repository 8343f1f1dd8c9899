import { messageOf } from "@kintsugi/api";
import type { ChangeEnvelope, ChangeFilter, ChangeMark, ChangeStream, Logger } from "@kintsugi/api";
import { backoffDelayMs, type Clock, jittered, onAbort, type Random } from "@kintsugi/clock";
import { silenceWatchOf, type Watched } from "./silence-watch.ts";

/** A bus that has not confirmed within this time is considered down. */
const subscribeTimeoutMs = 5_000;
const backoff = { initialMs: 250, maxMs: 15_000, factor: 2 };

export interface StreamSubscriptionDeps {
  changes: ChangeStream;
  clock: Clock;
  random: Random;
  log: Logger;
}

/**
 * Receives the messages of the subscription. An earlier subscription does not report events once it
 * was interrupted.
 */
export interface StreamListener {
  onSubscribed(): void;
  onInterrupted(): void;
  onChange(change: ChangeEnvelope): void;
  onMark(mark: ChangeMark): void;
  /** The first attempt has succeeded or failed. */
  onFirstAttempt(): void;
}

/**
 * The outcome of one subscription. `followed`: the listener was notified of the subscription by
 * `onSubscribed`.
 */
interface Outcome {
  followed: boolean;
  reason: string;
}

/**
 * Keeps one subscription alive. Each interruption ends the subscription, and a new subscription is
 * made and confirmed, so that the reader has the time from which it receives everything. After a
 * subscription that fell silent, a confirmation is not enough, because the bus may be up without
 * delivering, for example when the relay has lost its connection. The reader keeps its present
 * source until the next subscription has delivered a message.
 */
export class StreamSubscription {
  readonly #deps: StreamSubscriptionDeps;
  readonly #filter: ChangeFilter;
  #interrupt: ((reason: string) => void) | undefined;
  #fellSilent = false;

  constructor(deps: StreamSubscriptionDeps, filter: ChangeFilter) {
    this.#deps = deps;
    this.#filter = filter;
  }

  /**
   * Ends the present subscription and makes a new subscription, because the reader was too slow.
   */
  interrupt(reason: string): void {
    this.#interrupt?.(reason);
  }

  async run(listener: StreamListener, signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#deps;
    for (let failures = 0; !signal.aborted;) {
      const outcome = await this.#once(listener, signal);
      if (signal.aborted) return;
      failures = outcome.followed ? 1 : failures + 1;
      // A cluster without a bus stays in this state.
      if (outcome.followed) log.info("change stream interrupted", { reason: outcome.reason });
      else log.debug("no change stream", { reason: outcome.reason });
      await clock.sleep(jittered(random, backoffDelayMs(failures, backoff), 0.5), signal).catch(() => {});
    }
  }

  /** Runs one subscription, from its request to its end. */
  #once(listener: StreamListener, signal: AbortSignal): Promise<Outcome> {
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    return new Promise((resolve) => {
      let followed = false;
      let over = false;
      const end = (reason: string) => {
        if (over) return;
        over = true;
        this.#interrupt = undefined;
        timeout.cancel();
        silence.cancel();
        stopListening();
        if (followed) listener.onInterrupted();
        else listener.onFirstAttempt();
        ended.abort(new Error(reason));
        resolve({ followed, reason });
      };
      const follow = () => {
        followed = true;
        this.#fellSilent = false;
        listener.onSubscribed();
      };
      const heard = () => {
        silence.heard();
        if (!over && !followed && this.#fellSilent) follow();
      };
      const silence = this.#watchSilence(() => {
        this.#fellSilent = true;
        end("no message arrived");
      });
      const timeout = this.#deps.clock.after(subscribeTimeoutMs, () => end("no confirmation"));
      const stopListening = onAbort(signal, () => end("stopped"));
      this.#interrupt = end;
      const handlers = {
        onChange: (change: ChangeEnvelope) => {
          heard();
          if (!over) listener.onChange(change);
        },
        onMark: (mark: ChangeMark) => {
          heard();
          if (!over) listener.onMark(mark);
        },
        onInterrupted: end,
      };
      this.#deps.changes.subscribe(this.#filter, handlers, both).then(
        () => {
          if (over) return;
          timeout.cancel();
          silence.heard();
          if (!followed && !this.#fellSilent) follow();
          listener.onFirstAttempt();
        },
        (error: unknown) => end(messageOf(error)),
      );
    });
  }

  /** A follower of one node does not receive marks; it uses the answers to its Lease renewals. */
  #watchSilence(onSilence: () => void): Watched {
    const { changes, clock } = this.#deps;
    if (this.#filter.nodeName !== undefined) return { heard: () => {}, cancel: () => {} };
    return silenceWatchOf(changes, clock).watch(onSilence);
  }
}
