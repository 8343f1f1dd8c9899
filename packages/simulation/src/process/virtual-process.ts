import { setMaxListeners } from "node:events";
import type { Clock } from "@kintsugi/clock";
import { IncarnationClock } from "./incarnation-clock.ts";
import { Incarnation } from "./incarnation.ts";
import { MachineClock } from "./machine-clock.ts";

/** A process that ended by itself, as detected by the supervisor. */
export interface Death {
  readonly process: string;
  readonly atMs: number;
  readonly error: unknown;
}

export interface VirtualProcessDeps {
  clock: Clock;
  /** The clock of its machine; a separate clock when absent. */
  machineClock?: MachineClock;
  /**
   * Begins an incarnation with only data stored elsewhere; lasts until the signal aborts. The
   * process may read only this clock, which stops with the process.
   */
  run: (signal: AbortSignal, incarnation: Incarnation, clock: Clock) => Promise<void>;
  onDeath: (death: Death) => void;
}

/** Time after which a supervisor restarts a dead process. */
const restartDelayMs = 1000;

/** A service under a supervisor: it can be stopped, killed at any point, and started again. */
export class VirtualProcess {
  readonly name: string;
  readonly machineClock: MachineClock;
  readonly #deps: VirtualProcessDeps;
  #incarnation: Incarnation | undefined;
  #stop = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(deps: VirtualProcessDeps, options: { name: string }) {
    this.#deps = deps;
    this.name = options.name;
    this.machineClock = deps.machineClock ?? new MachineClock(deps.clock);
  }

  get isRunning(): boolean {
    return this.#incarnation !== undefined;
  }

  /** The process is paused. */
  get isPaused(): boolean {
    return this.#incarnation?.isPaused ?? false;
  }

  /** Timers that have fired since the process was started. */
  get wakeUps(): number {
    return this.#incarnation?.wakeUps ?? 0;
  }

  start(): void {
    if (this.#incarnation) return;
    const incarnation = new Incarnation();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    this.#incarnation = incarnation;
    this.#stop = stop;
    this.#done = this.#live(stop.signal, incarnation);
  }

  /**
   * The process has ended, in the middle of its work: it does not send anything and does not
   * receive responses.
   */
  kill(): void {
    this.#incarnation?.end();
    this.#incarnation = undefined;
    this.#stop.abort(new Error(`${this.name} was killed`));
    // A killed incarnation receives neither responses nor timers, so its work may never end.
    this.#done = Promise.resolve();
  }

  /**
   * Pauses in the middle of its work, as under SIGSTOP.
   * @returns a function that resumes it; undefined if the process does not run.
   */
  pause(): (() => void) | undefined {
    const incarnation = this.#incarnation;
    incarnation?.pause();
    return incarnation && (() => incarnation.resume());
  }

  /**
   * The process receives the signal to stop and finishes its necessary work; time has to advance in
   * the meantime for work that takes time.
   */
  async stop(): Promise<void> {
    const incarnation = this.#incarnation;
    this.#incarnation = undefined;
    this.#stop.abort(new Error(`${this.name} was stopped`));
    await this.#done;
    incarnation?.end();
  }

  async #live(signal: AbortSignal, incarnation: Incarnation): Promise<void> {
    let error: unknown = new Error(`${this.name} has ended`);
    try {
      await this.#deps.run(signal, incarnation, new IncarnationClock(this.machineClock, incarnation));
    } catch (cause) {
      error = cause;
    }
    if (signal.aborted) return;
    incarnation.end();
    this.#incarnation = undefined;
    this.#deps.onDeath({ process: this.name, atMs: this.#deps.clock.monotonicMs(), error });
    const timer = this.#deps.clock.after(restartDelayMs, () => this.start());
    signal.addEventListener("abort", () => timer.cancel(), { once: true });
  }
}
