import { type Clock, sleepOn, type Timer, type TimerKind } from "../clock.ts";
import { PendingTimer, TimerHeap } from "../timer-heap.ts";

/** The number of virtual seconds that pass in a real second; 0 stops the clock. */
export type Pace = number;

export interface AdvanceOptions {
  /**
   * Resolves with true when all the work that timers have started is done, or with false when this
   * takes too long.
   */
  settle: () => Promise<boolean>;
  /**
   * Called after each instant at which timers were due; "stop" ends the advance at this instant.
   */
  afterStep?: (() => Promise<"stop" | "go on">) | undefined;
  /**
   * Reports whether only routine work happens in the world, so that the clock may pass over the
   * time until the next deadline. The routine timers of that time fire late, and only once.
   */
  isQuiet?: (() => boolean) | undefined;
  /** Ends the advance after the step in which the signal aborts. */
  signal?: AbortSignal | undefined;
}

/** The result of a move of the clock. */
export interface Advance {
  readonly movedMs: number;
  /** The part of the move that was passed over because nothing happened. */
  readonly passedOverMs: number;
  /** The number of instants at which timers were due. */
  readonly steps: number;
  /** False where the work of a step had not ended when the next step began. */
  readonly settled: boolean;
  /**
   * The reason for the end of the move: all of the time has passed, or a step or the signal ended
   * it before.
   */
  readonly ended: "in full" | "by a step" | "by the signal";
}

/** Shorter times are not passed over, because one round of all routine timers follows. */
const passOverMinMs = 30_000;
/** A simulated world whose timers are repeatedly due at one instant never advances. */
const stepsAtOneInstantMax = 100_000;

/**
 * A clock for a world of timers in a process that also serves other requests: it is stopped, runs
 * at its own pace, or is moved on demand. Timers that are due fire in the order of their times.
 * `nextTurn` is a turn of the real event loop in every state.
 */
export class SteeredClock implements Clock {
  readonly #real: Clock;
  readonly #wallStartMs: number;
  readonly #timers = {
    deadline: new TimerHeap(),
    routine: new TimerHeap(),
    heartbeat: new TimerHeap(),
  };
  readonly #heaps = Object.values(this.#timers);
  #order = 0;
  #fired = 0;
  /** The times of this clock and of the real clock at which the present pace began. */
  #since: { elapsedMs: number; realMs: number };
  #pace: Pace;
  #isMoving = false;
  /** The real timer for the next due timer. */
  #wakeUp: { dueMs: number; timer: Timer } | undefined;

  /** @param startMs the clock's wall time at the start. Default the real wall time. */
  constructor(deps: { real: Clock }, { pace, startMs }: { pace: Pace; startMs?: number }) {
    this.#real = deps.real;
    this.#wallStartMs = startMs ?? deps.real.nowMs();
    this.#pace = pace;
    this.#since = { elapsedMs: 0, realMs: deps.real.monotonicMs() };
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** True during an advance. */
  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** The number of callbacks that were called. */
  get firedTimers(): number {
    return this.#fired;
  }

  /** The wall time at which the next timer is due; undefined without waiting timers. */
  get nextDueMs(): number | undefined {
    const next = this.#next();
    return next && this.#wallStartMs + next.dueMs;
  }

  nowMs(): number {
    return this.#wallStartMs + this.monotonicMs();
  }

  monotonicMs(): number {
    const { elapsedMs, realMs } = this.#since;
    if (this.#pace === 0 || this.#isMoving) return elapsedMs;
    return elapsedMs + Math.floor((this.#real.monotonicMs() - realMs) * this.#pace);
  }

  after(delayMs: number, callback: () => void, kind: TimerKind = "deadline"): Timer {
    if (typeof kind === "object") return this.#routineFor(kind.routineForMs, { delayMs, callback });
    const heap = this.#timers[kind];
    const timer = new PendingTimer(heap, {
      dueMs: this.monotonicMs() + Math.max(0, Math.ceil(delayMs)),
      order: this.#order++,
      callback,
    });
    heap.push(timer);
    this.#arm();
    return timer;
  }

  sleep(delayMs: number, signal?: AbortSignal, kind?: TimerKind): Promise<void> {
    return sleepOn(this, delayMs, { signal, kind });
  }

  nextTurn(): Promise<void> {
    return this.#real.nextTurn();
  }

  /** Sets the pace. A pace that is set during an advance begins after the advance. */
  setPace(pace: Pace): void {
    if (!Number.isFinite(pace) || pace < 0) throw new RangeError(`a clock does not run at the pace ${pace}`);
    this.#begin(this.monotonicMs());
    this.#pace = pace;
    this.#arm();
  }

  /**
   * Moves the clock through all timers that fall due on the way. One move at a time.
   * @param durationMs whole milliseconds; a fraction is rounded up.
   */
  async advance(durationMs: number, { settle, afterStep, isQuiet, signal }: AdvanceOptions): Promise<Advance> {
    if (this.#isMoving) throw new TypeError("the clock is being moved already");
    const fromMs = this.monotonicMs();
    const untilMs = fromMs + Math.ceil(durationMs);
    this.#begin(fromMs);
    this.#isMoving = true;
    this.#disarm();
    let [steps, stepsHere, passedOverMs] = [0, 0, 0];
    let ended: Advance["ended"] = "in full";
    try {
      let settled = await settle();
      for (let next = this.#next(); next && next.dueMs <= untilMs; next = this.#next()) {
        let nowMs = Math.max(this.#since.elapsedMs, next.dueMs);
        stepsHere = nowMs === this.#since.elapsedMs ? stepsHere + 1 : 0;
        if (stepsHere > stepsAtOneInstantMax) throw new Error(`timers are due at ${nowMs} ms again and again`);
        const deadlineMs = Math.min(untilMs, this.#timers.deadline.peek()?.dueMs ?? Infinity);
        if (deadlineMs - nowMs >= passOverMinMs && isQuiet?.() === true) {
          passedOverMs += deadlineMs - nowMs;
          nowMs = deadlineMs;
          this.#begin(nowMs);
          this.#fireDue([this.#timers.heartbeat]);
          settled = (await settle()) && settled;
        }
        this.#begin(nowMs);
        this.#fireDue();
        steps++;
        settled = (await settle()) && settled;
        if (afterStep && (await afterStep()) === "stop") ended = "by a step";
        else if (signal?.aborted) ended = "by the signal";
        if (ended !== "in full") break;
      }
      if (ended === "in full") this.#begin(untilMs);
      return { movedMs: this.#since.elapsedMs - fromMs, passedOverMs, steps, settled, ended };
    } finally {
      this.#isMoving = false;
      this.#begin(this.#since.elapsedMs);
      this.#arm();
    }
  }

  #begin(elapsedMs: number): void {
    this.#since = { elapsedMs, realMs: this.#real.monotonicMs() };
  }

  /** A routine timer with a deadline. The clock stops at the deadline. */
  #routineFor(ms: number, { delayMs, callback }: { delayMs: number; callback: () => void }): Timer {
    const deadline = this.after(ms, () => {});
    const fire = () => {
      deadline.cancel();
      callback();
    };
    const timer = this.after(delayMs, fire, "routine");
    return {
      cancel: () => {
        deadline.cancel();
        timer.cancel();
      },
    };
  }

  /** Calls the timers that are due now. A timer that a callback sets waits for the next call. */
  #fireDue(heaps: readonly TimerHeap[] = this.#heaps): void {
    const nowMs = this.monotonicMs();
    const before = this.#order;
    for (;;) {
      const heap = earliest(heaps);
      const next = heap?.peek();
      if (heap === undefined || next === undefined || next.dueMs > nowMs || next.order >= before) return;
      heap.popDue(nowMs);
      this.#fired++;
      next.callback();
    }
  }

  #next(): PendingTimer | undefined {
    return earliest(this.#heaps)?.peek();
  }

  /**
   * Sets a real timer for the next due timer. Timers that are already due are called in the next
   * turn.
   */
  #arm(): void {
    if (this.#isMoving) return;
    const next = this.#next();
    const nowMs = this.monotonicMs();
    if (next === undefined || (this.#pace === 0 && next.dueMs > nowMs)) return this.#disarm();
    if (this.#wakeUp !== undefined && this.#wakeUp.dueMs <= next.dueMs) return;
    this.#disarm();
    const wake = () => {
      this.#wakeUp = undefined;
      if (this.#isMoving) return;
      this.#fireDue();
      this.#arm();
    };
    const realDelayMs = this.#pace === 0 ? 0 : Math.max(0, next.dueMs - nowMs) / this.#pace;
    this.#wakeUp = { dueMs: next.dueMs, timer: this.#real.after(realDelayMs, wake) };
  }

  #disarm(): void {
    this.#wakeUp?.timer.cancel();
    this.#wakeUp = undefined;
  }
}

/** Returns the heap with the timer that is due first; undefined without waiting timers. */
function earliest(heaps: readonly TimerHeap[]): TimerHeap | undefined {
  let found: { heap: TimerHeap; first: PendingTimer } | undefined;
  for (const heap of heaps) {
    const first = heap.peek();
    if (first !== undefined && (found === undefined || first.isBefore(found.first))) found = { heap, first };
  }
  return found?.heap;
}
