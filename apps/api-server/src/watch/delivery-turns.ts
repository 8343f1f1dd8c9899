import type { Clock } from "@kintsugi/clock";

/**
 * Readers that are woken in one turn of the event loop: each writes a piece to its connection, and
 * together they take some two milliseconds.
 */
export const wokenPerTurn = 64;

/**
 * Wakes the readers of a delivery a few at a time, so that requests are answered between them.
 * Events that are committed in the meantime go out in one piece with those that wait, which costs a
 * reader as much as one event does.
 */
export class DeliveryTurns {
  readonly #clock: Pick<Clock, "nextTurn">;
  /** Readers whose turn has not come, the longest waiting first; each watch has one at most. */
  #waiting: (() => void)[] = [];
  #left = wokenPerTurn;
  #joined: { frames: readonly Uint8Array[]; piece: Uint8Array } | undefined;

  constructor(deps: { clock: Pick<Clock, "nextTurn"> }) {
    this.#clock = deps.clock;
  }

  /** A delivery begins. While readers of earlier ones wait, its own follow them. */
  begin(): void {
    this.#joined = undefined;
    if (this.#waiting.length === 0) this.#left = wokenPerTurn;
  }

  /** Calls `reader` now, or when its turn comes. */
  wake(reader: () => void): void {
    if (this.#left > 0) {
      this.#left--;
      reader();
      return;
    }
    this.#waiting.push(reader);
    if (this.#waiting.length === 1) void this.#run();
  }

  /**
   * Returns frames as one piece. Watches of one form that wait for the same events share it, and a
   * single frame is a piece as it is.
   */
  join(frames: readonly Uint8Array[]): Uint8Array {
    const [first] = frames;
    if (frames.length === 1 && first !== undefined) return first;
    const known = this.#joined;
    if (known !== undefined && areSame(known.frames, frames)) return known.piece;
    const piece = Buffer.concat(frames);
    this.#joined = { frames, piece };
    return piece;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.nextTurn();
      const woken = this.#waiting.slice(0, wokenPerTurn);
      // It keeps its place until here: new readers must not overtake it.
      this.#waiting = this.#waiting.slice(wokenPerTurn);
      for (const reader of woken) reader();
    }
  }
}

function areSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i]);
}
