import { strict as assert } from "node:assert";
import { type Clock, onAbort } from "@kintsugi/clock";
import { dealHand } from "./shuffle-shard.ts";

// The requests of one level, whose seats are limited:
//
//   flow alice ──┐ queue 3: ▒▒▒▒▒▒▒▒   served until 41.0
//   flow alice ──┤ queue 7: ▒▒▒▒▒▒▒    served until 40.2
//   flow bob   ──┘ queue 5: ▒          served until 12.5  ◄ next, because it has been served least
//
// "Served until" is a queue's virtual time, in which all waiting queues are served in parallel,
// each with an equal share of the seats (fair queuing). A request advances it by its width times
// its expected duration, and after its end by the difference to its actual duration. A queue that
// was empty starts at the current virtual time, so its idle time gives it no advantage.

export interface QueueOptions {
  /** Undefined: requests beyond the limit are rejected. */
  queuing: { queues: number; handSize: number; queueLengthMax: number } | undefined;
  /** Longest time that a request waits. */
  waitMaxMs: number;
}

export type FlowRejection = "queue-full" | "concurrency-limit" | "time-out" | "cancelled";

/** The seats that a request occupies while it is served. They are released only once. */
export interface Seat {
  leave(): void;
}

export type Turn = { seat: Seat; waitedMs: number } | { rejected: FlowRejection };

interface Waiting {
  readonly width: number;
  readonly arrivedMs: number;
  readonly serve: (queue: Queue | undefined) => void;
}

interface Queue {
  readonly index: number;
  servedUntil: number;
  readonly waiting: Waiting[];
  /** Seats of requests that wait or are served. */
  seats: number;
  served: number;
}

/** Upstream's estimate of the time that a request takes. */
const expectedMs = 3;

export class FairQueues {
  readonly #clock: Pick<Clock, "monotonicMs" | "after">;
  readonly #options: QueueOptions;
  /** Queues with requests that wait or are served. An idle queue is removed. */
  readonly #queues = new Map<number, Queue>();
  #seats: number;
  #inUse = 0;
  #waitingSeats = 0;
  #waitingCount = 0;
  #present = 0;
  #presentMs: number;
  /** The most seats that were wanted at the same time since the last call of `takeNeed`. */
  #need = 0;

  constructor(clock: Pick<Clock, "monotonicMs" | "after">, seats: number, options: QueueOptions) {
    this.#clock = clock;
    this.#seats = seats;
    this.#options = options;
    this.#presentMs = clock.monotonicMs();
  }

  get seats(): number {
    return this.#seats;
  }

  get seatsInUse(): number {
    return this.#inUse;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  setSeats(seats: number): void {
    this.#movePresent();
    this.#seats = seats;
    this.#serveNext();
  }

  /** The most seats that were wanted at the same time since the last call. */
  takeNeed(): number {
    const need = this.#need;
    this.#need = this.#inUse + this.#waitingSeats;
    return need;
  }

  /**
   * Gives a request its seats immediately or later, or rejects it. `width` is its number of seats.
   * `gone` is called only where the request has to wait, and aborts when its client disconnects.
   */
  enter(flow: string, width: number, gone: () => AbortSignal): Turn | Promise<Turn> {
    this.#need = Math.max(this.#need, this.#inUse + this.#waitingSeats + width);
    if (this.#waitingCount === 0 && this.#fits(width)) return { seat: this.#take(width, undefined), waitedMs: 0 };
    const { queuing, waitMaxMs } = this.#options;
    if (queuing === undefined) return { rejected: "concurrency-limit" };
    const queue = this.#chooseQueue(flow, queuing);
    if (queue.waiting.length >= queuing.queueLengthMax) return { rejected: "queue-full" };
    return this.#wait(queue, width, { waitMaxMs, signal: gone() });
  }

  /** A request that is wider than its level is served when no other request is being served. */
  #fits(width: number): boolean {
    return this.#inUse + width <= this.#seats || (this.#inUse === 0 && this.#seats > 0);
  }

  #chooseQueue(flow: string, { queues, handSize }: NonNullable<QueueOptions["queuing"]>): Queue {
    let best: Queue | undefined;
    for (const index of dealHand(flow, queues, handSize)) {
      const queue = this.#queues.get(index) ?? { index, servedUntil: 0, waiting: [], seats: 0, served: 0 };
      if (best === undefined || queue.seats < best.seats) best = queue;
    }
    assert(best !== undefined, "a flow has at least one queue");
    return best;
  }

  #wait(queue: Queue, width: number, { waitMaxMs, signal }: { waitMaxMs: number; signal: AbortSignal }): Promise<Turn> {
    this.#movePresent();
    if (!this.#queues.has(queue.index)) {
      queue.servedUntil = this.#present;
      this.#queues.set(queue.index, queue);
    }
    const arrivedMs = this.#clock.monotonicMs();
    const waiting = new Promise<Turn>((resolve) => {
      const giveUp = (rejected: FlowRejection) => {
        settle();
        const at = queue.waiting.indexOf(request);
        if (at < 0) return;
        queue.waiting.splice(at, 1);
        queue.seats -= width;
        this.#waitingCount--;
        this.#waitingSeats -= width;
        this.#dropIdle(queue);
        resolve({ rejected });
      };
      const settle = () => {
        timer.cancel();
        stopListening();
      };
      const request: Waiting = {
        width,
        arrivedMs,
        serve: (from) => {
          settle();
          resolve({ seat: this.#take(width, from), waitedMs: this.#clock.monotonicMs() - arrivedMs });
        },
      };
      const timer = this.#clock.after(waitMaxMs, () => giveUp("time-out"));
      const stopListening = onAbort(signal, () => giveUp("cancelled"));
      queue.waiting.push(request);
      queue.seats += width;
      this.#waitingCount++;
      this.#waitingSeats += width;
    });
    this.#serveNext();
    return waiting;
  }

  #take(width: number, queue: Queue | undefined): Seat {
    this.#movePresent();
    this.#inUse += width;
    const startedMs = this.#clock.monotonicMs();
    let isTaken = true;
    return {
      leave: () => {
        assert(isTaken, "a seat is released once");
        isTaken = false;
        this.#movePresent();
        this.#inUse -= width;
        if (queue !== undefined) {
          queue.servedUntil += width * (this.#clock.monotonicMs() - startedMs - expectedMs);
          queue.seats -= width;
          queue.served--;
          this.#dropIdle(queue);
        }
        this.#serveNext();
      },
    };
  }

  #serveNext(): void {
    for (;;) {
      const queue = this.#leastServed();
      const first = queue?.waiting[0];
      if (queue === undefined || first === undefined || !this.#fits(first.width)) return;
      queue.waiting.shift();
      queue.served++;
      queue.servedUntil += first.width * expectedMs;
      this.#waitingCount--;
      this.#waitingSeats -= first.width;
      first.serve(queue);
    }
  }

  /** The queue that has been served least; of equal queues, the queue with the oldest request. */
  #leastServed(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#queues.values()) {
      const [first, known] = [queue.waiting[0], best?.waiting[0]];
      if (first === undefined) continue;
      const isBetter =
        best === undefined ||
        known === undefined ||
        queue.servedUntil < best.servedUntil ||
        (queue.servedUntil === best.servedUntil && first.arrivedMs < known.arrivedMs);
      if (isBetter) best = queue;
    }
    return best;
  }

  #dropIdle(queue: Queue): void {
    if (queue.waiting.length === 0 && queue.served === 0) this.#queues.delete(queue.index);
  }

  /** Advances the virtual time by the share that each queue would have received in the meantime. */
  #movePresent(): void {
    const nowMs = this.#clock.monotonicMs();
    const busy = this.#queues.size;
    if (busy > 0) {
      const wanted = this.#inUse + this.#waitingSeats;
      this.#present += ((nowMs - this.#presentMs) * Math.min(this.#seats, wanted)) / busy;
    }
    this.#presentMs = nowMs;
  }
}
