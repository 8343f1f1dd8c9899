import { strict as assert } from "node:assert";
import type { DeliveryTurns } from "./delivery-turns.ts";

/**
 * Limit of the bytes that wait for a watcher that does not read. Beyond the limit, the watch is
 * closed, and its client resumes or lists again.
 */
export const pendingBytesMax = 8 * 1024 * 1024;

/** Waiting events are sent in one piece, up to this size. */
const chunkBytesMax = 64 * 1024;

export interface FrameQueueOptions {
  /** Frames before all other frames. They are made when they are read. */
  initial: Iterable<Uint8Array> | undefined;
  /** Called once, when the watch ends for any reason. */
  onEnd: () => void;
  /** Wakes the reader after a push, in its turn. Default: immediately. */
  turns?: Pick<DeliveryTurns, "wake" | "join"> | undefined;
}

/**
 * The frames of one watch for its reader, which receives them as fast as it reads: a bounded queue
 * after the frames with which the watch begins.
 */
export class FrameQueue implements AsyncIterable<Uint8Array> {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** The events before the start of the watch, which are read first and made piece by piece. */
  #initial: Iterator<Uint8Array> | undefined;
  #wake: (() => void) | undefined;
  #ended = false;
  #isRead = false;
  readonly #onEnd: () => void;
  readonly #turns: FrameQueueOptions["turns"];

  constructor(options: FrameQueueOptions) {
    this.#initial = options.initial?.[Symbol.iterator]();
    this.#onEnd = options.onEnd;
    this.#turns = options.turns;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Queues a frame; ends the watch when its reader is too slow. */
  push(frame: Uint8Array): void {
    if (this.#ended) return;
    if (this.#pendingBytes + frame.byteLength > pendingBytesMax) {
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#initial = undefined;
      this.end();
      return;
    }
    this.#pending.push(frame);
    this.#pendingBytes += frame.byteLength;
    if (this.#turns === undefined) this.#wakeReader();
    else if (this.#wake !== undefined) this.#turns.wake(this.#takeWake(this.#wake));
  }

  /** Ends the events; queued events are still read. A second call has no effect. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#wakeReader();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    assert(!this.#isRead, "a watch has one reader, because two readers would each get a part of its events");
    this.#isRead = true;
    try {
      for (;;) {
        const chunk = this.#takeInitial() ?? this.#takePending();
        if (chunk !== undefined) yield chunk;
        else if (this.#ended) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.end();
    }
  }

  /** A reader that waits for its turn is not queued again. */
  #takeWake(wake: () => void): () => void {
    this.#wake = undefined;
    return wake;
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #takeInitial(): Uint8Array | undefined {
    if (this.#initial === undefined) return undefined;
    const frames: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < chunkBytesMax) {
      const next = this.#initial.next();
      if (next.done === true) {
        this.#initial = undefined;
        break;
      }
      frames.push(next.value);
      bytes += next.value.byteLength;
    }
    return frames.length === 0 ? undefined : joinFrames(frames);
  }

  #takePending(): Uint8Array | undefined {
    if (this.#pending.length === 0) {
      assert(this.#pendingBytes === 0, `${this.#pendingBytes} bytes wait, but no frame contains them`);
      return undefined;
    }
    let count = 0;
    let bytes = 0;
    while (count < this.#pending.length && (count === 0 || bytes < chunkBytesMax)) {
      bytes += this.#pending[count]?.byteLength ?? 0;
      count++;
    }
    const frames = count === this.#pending.length ? this.#pending : this.#pending.slice(0, count);
    this.#pending = count === this.#pending.length ? [] : this.#pending.slice(count);
    this.#pendingBytes -= bytes;
    return this.#turns?.join(frames) ?? joinFrames(frames);
  }
}

/** A single frame is sent as its shared buffer. */
function joinFrames(frames: readonly Uint8Array[]): Uint8Array {
  return frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
}
