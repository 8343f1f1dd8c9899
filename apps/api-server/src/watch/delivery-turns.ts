import type { Clock } from "@kintsugi/clock";

/**
 * Number of readers that are woken in one turn of the event loop. Each writes a piece to its
 * connection, and together they take some two milliseconds.
 */
export const wokenPerTurn = 64;

/**
 * Wakes the readers of a delivery a few at a time, so that requests are answered in between. A
 * reader receives the waiting events, and the events that are committed in the meantime, in one
 * piece, which costs as much as one event.
 */
export class DeliveryTurns {
  readonly #clock: Pick<Clock, "nextTurn">;
  /**
   * Readers that wait for their turn, in the order of their arrival. Each watch has at most one
   * waiting reader.
   */
  #waiting: (() => void)[] = [];
  #left = wokenPerTurn;
  #joined: { frames: readonly Uint8Array[]; piece: Uint8Array } | undefined;

  constructor(deps: { clock: Pick<Clock, "nextTurn"> }) {
    this.#clock = deps.clock;
  }

  /** Begins a delivery. Its readers queue behind the waiting readers of earlier deliveries. */
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
   * Returns frames as one piece. Watches of one form that wait for the same events share the piece,
   * and a single frame is already a piece.
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
      // The reader keeps its place until here, because new readers must not overtake it.
      this.#waiting = this.#waiting.slice(wokenPerTurn);
      for (const reader of woken) reader();
    }
  }
}

function areSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i]);
}
