import { podBackoffAnnotation, podEscalationAnnotation, podRestartAnnotation, type TimerProfile } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Calm } from "../calm.ts";
import type { Check, Invariant } from "./invariant.ts";
import type { InvariantContext } from "./invariant-list.ts";
import type { SteadyClocks } from "./steady-clocks.ts";
import type { Known } from "./known.ts";
import { containerName, type KnownContainer, type SeenContainer } from "./known-containers.ts";

/** How long a pod's sync may take, with the writes that it waits for. */
const lateMs = 2000;

/** The kubelet reckons in wall time, whose numbers are too large to be exact to more than a fraction of a millisecond. */
const exactToMs = 1;

/** Usually both are the same. */
interface Wait {
  leastMs: number;
  mostMs: number;
}

const none: Wait = { leastMs: 0, mostMs: 0 };

interface Life {
  latest: KnownContainer;
  /** What it has to stay down for when it exits. */
  wait: Wait;
  /**
   * Whether that can be known: how long an instance ran is told by its node's wall clock, and when that was wrong once, all that
   * its later instances carry follows from it.
   */
  isKnown: boolean;
}

/** S23: a container that exits comes back after 0, 10, 20, 40 … s of its profile, not earlier, and in calm not later. */
export class BackoffExact implements Invariant {
  readonly name = "S23";
  readonly never = "a container that is restarted before its back-off is over, or in calm more than 2 s after it";
  readonly #clock: Clock;
  readonly #known: Known;
  readonly #clocks: SteadyClocks;
  readonly #calm: Calm;
  readonly #timers: TimerProfile;
  /** By pod and container. */
  readonly #lives = new Map<string, Life>();
  /** Those that ended only because their sandbox had: they may be back at once, and have not failed once more. */
  readonly #stopped = new WeakSet<KnownContainer>();

  constructor({ clock, clocks, known, calm, timers }: InvariantContext) {
    this.#known = known;
    this.#clocks = clocks;
    this.#clock = clock;
    this.#calm = calm;
    this.#timers = timers;
  }

  container({ type, container, sandboxReady }: SeenContainer, check: Check): void {
    if (type === "stopping" && !sandboxReady) this.#stopped.add(container);
    if (type !== "started") return;
    const which = `${container.uid}/${container.name}`;
    const life = this.#lives.get(which);
    const wait = life ? this.#nextWait(life) : none;
    const next = { latest: container, wait, isKnown: life?.isKnown ?? true };
    this.#lives.set(which, next);
    // One that was created before it and failed to start has a wait of its own, and may have doubled what comes after it.
    const isNext = container.attempt === (life ? life.latest.attempt + 1 : 0);
    next.isKnown &&= isNext;
    if (life?.latest.finishedAtMs === undefined || !isNext) return;
    if (this.#hasOwnRules(container)) return;
    const isFree = this.#stopped.has(life.latest) || this.#ranLong(life.latest);
    const due = isFree ? none : life.wait;
    const downMs = this.#downMs(life.latest);
    // One that has run for long begins afresh, whatever it carried.
    next.isKnown ||= this.#ranLong(life.latest);
    next.isKnown &&= this.#clocks.steadyForMs(container.node) > downMs + this.#upMs(life.latest);
    if (!next.isKnown) return;
    const name = containerName(container);
    if (downMs <= due.leastMs - exactToMs) check(`${name} was restarted after ${downMs} ms, ${due.leastMs} ms are due`);
    else if (this.#calm.forMs >= downMs)
      check(downMs > due.mostMs + lateMs ? `${name} was down for ${downMs} ms, ${due.mostMs} ms are due` : undefined);
    else check(undefined);
  }

  /** A back-off of its own, or restarts of the whole pod. */
  #hasOwnRules({ podKey }: KnownContainer): boolean {
    const annotations = this.#known.pods.get(podKey)?.metadata.annotations ?? {};
    return [podBackoffAnnotation, podRestartAnnotation, podEscalationAnnotation].some((name) => name in annotations);
  }

  /** For how long it has been over, to now. */
  #downMs({ finishedAtMs = 0 }: KnownContainer): number {
    return this.#clock.monotonicMs() - finishedAtMs;
  }

  #upMs({ createdAtMs, finishedAtMs = 0 }: KnownContainer): number {
    return finishedAtMs - createdAtMs;
  }

  #ranLong(container: KnownContainer): boolean {
    return this.#upMs(container) > this.#timers.crashLoopBackoffResetMs;
  }

  #nextWait({ latest, wait }: Life): Wait {
    const hasRunLong = this.#ranLong(latest);
    const carried = hasRunLong ? none : wait;
    const next = { leastMs: this.#doubled(carried.leastMs), mostMs: this.#doubled(carried.mostMs) };
    if (!this.#stopped.has(latest)) return next;
    // When its successor cannot be created at the first try, the kubelet finds it ended like any other and goes by that from then on.
    const mayCount = hasRunLong || this.#downMs(latest) > wait.leastMs - exactToMs;
    if (!mayCount) return wait;
    return { leastMs: Math.min(wait.leastMs, next.leastMs), mostMs: Math.max(wait.mostMs, next.mostMs) };
  }

  #doubled(waitMs: number): number {
    const { crashLoopBackoffInitialMs, crashLoopBackoffMaxMs } = this.#timers;
    return waitMs === 0 ? crashLoopBackoffInitialMs : Math.min(2 * waitMs, crashLoopBackoffMaxMs);
  }
}
