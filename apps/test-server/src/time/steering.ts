import { ApiError, formatDuration } from "@kintsugi/api";
import type { Advance, Clock, SteeredClock } from "@kintsugi/clock";
import type { CommittedStore } from "@kintsugi/simulation";
import type { Activity } from "../cluster/activity.ts";
import type { ConditionJudgement } from "./condition.ts";
import { Quiet } from "./quiet.ts";
import { Settler } from "./settler.ts";

export interface SteeringDeps {
  clock: SteeredClock;
  real: Clock;
  activity: Activity;
  store: Pick<CommittedStore, "revision" | "subscribe">;
  /**
   * Reports whether all machines run and are connected, and the cluster itself is not affected by a
   * fault.
   */
  isWhole: () => boolean;
}

export interface AdvanceRequest {
  /** The time that passes; with a condition, the maximum time. */
  durationMs: number;
  /** The advance ends when this condition is true. */
  condition?: (() => Promise<ConditionJudgement>) | undefined;
  /** The real time without a request of an outside client before time continues. */
  giveClientsMs: number;
  /** Simulates every heartbeat of a cluster in which nothing else happens. Default false. */
  everyHeartbeat?: boolean;
}

export interface AdvanceReport {
  readonly movedMs: number;
  /** The part of the time that was skipped because it contained only heartbeats. */
  readonly passedOverMs: number;
  /** The number of steps, each with at least one due timer. */
  readonly steps: number;
  /**
   * All work that the steps began had ended, and all watchers had received its changes, before time
   * continued.
   */
  readonly settled: boolean;
  /**
   * False if the condition has not become true, the caller has disconnected, or the server ended.
   */
  readonly reached: boolean;
  /** The error message if the condition was not reached. */
  readonly message: string | undefined;
}

/** The state of the clock. */
export interface ClockStatus {
  readonly nowMs: number;
  /** Seconds of the cluster per real second; 0 while its clock is stopped. */
  readonly pace: number;
  readonly isMoving: boolean;
  /** Undefined without a waiting timer. */
  readonly nextDueMs: number | undefined;
}

/** The longest step of the clock: a year, which takes minutes for an idle cluster. */
export const advanceMaxMs = 366 * 24 * 3_600_000;
/** Clients that react do so within seconds. */
export const giveClientsMaxMs = 5_000;
/** A faster cluster cannot keep up with its heartbeats. */
export const paceMax = 3600;

/** Steers the clock of a cluster whose outside clients live in real time. */
export class Steering {
  readonly #deps: SteeringDeps;
  readonly #quiet: Quiet;
  readonly #stop = new AbortController();

  constructor(deps: SteeringDeps) {
    this.#deps = deps;
    this.#quiet = new Quiet(deps);
  }

  status(): ClockStatus {
    const { clock } = this.#deps;
    return { nowMs: clock.nowMs(), pace: clock.pace, isMoving: clock.isMoving, nextDueMs: clock.nextDueMs };
  }

  /** @param pace seconds of the cluster per real second; 0 stops its clock. */
  setPace(pace: number): void {
    this.#deps.clock.setPace(pace);
  }

  /** @throws ApiError Conflict while an advance is in progress. */
  assertIsFree(): void {
    if (this.#deps.clock.isMoving)
      throw new ApiError("Conflict", "the clock is already being moved, and only one advance can run at a time");
  }

  /** @throws ApiError Conflict while another advance is in progress. */
  async advance(request: AdvanceRequest, signal?: AbortSignal): Promise<AdvanceReport> {
    const { clock, store } = this.#deps;
    this.assertIsFree();
    const settler = new Settler(this.#deps, request);
    const settle = () => settler.settle();
    const { condition, everyHeartbeat = false } = request;
    const options = {
      settle,
      signal: this.#signalWith(signal),
      ...(!everyHeartbeat && { isQuiet: () => this.#quiet.isQuiet }),
    };
    if (condition === undefined) return reportOf(await clock.advance(request.durationMs, options));
    // The effects of a client's last write are complete when the condition is read.
    await settle();
    let last = await condition();
    if (last.holds) return { movedMs: 0, passedOverMs: 0, steps: 0, settled: true, reached: true, message: undefined };
    let seen = store.revision();
    const afterStep = async () => {
      if (store.revision() === seen) return "go on" as const;
      seen = store.revision();
      last = await condition();
      return last.holds ? ("stop" as const) : ("go on" as const);
    };
    const advance = await clock.advance(request.durationMs, { ...options, afterStep });
    if (last.holds || advance.ended === "by the signal") return reportOf(advance);
    const message = `the condition was not met within ${formatDuration(request.durationMs)} of the cluster's time: ${last.why}`;
    return { ...reportOf(advance), reached: false, message };
  }

  /** Ends an advance in progress, and lets the remaining timers fire in real time. */
  end(): void {
    this.#stop.abort();
    this.setPace(1);
  }

  #signalWith(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#stop.signal : AbortSignal.any([signal, this.#stop.signal]);
  }
}

function reportOf({ ended, ...moved }: Advance): AdvanceReport {
  const isCutShort = ended === "by the signal";
  const message = isCutShort
    ? "the advance was interrupted: its caller disconnected, or the server is stopping"
    : undefined;
  return { ...moved, reached: !isCutShort, message };
}
