import type { Container, Probe } from "@kintsugi/api";
import type { Clock, Timer } from "@kintsugi/clock";
import type { ProbeResult } from "../plan/steps.ts";
import type { ProbeKind, Prober, ProbeOutcome, ProbeTarget } from "./prober.ts";

/**
 * A container counts as alive, not ready and not yet started before its first result; upstream's
 * choice.
 */
const initialResults: Readonly<Record<ProbeKind, ProbeResult>> = {
  liveness: "success",
  readiness: "failure",
  startup: "unknown",
};
/** Number of immediate repetitions of an attempt without a result; upstream's value. */
const attemptsMax = 3;

export interface ProbedContainer {
  id: string;
  running: boolean;
  startedAtMs: number;
  target: ProbeTarget;
}

export interface ProbeWorkerDeps {
  clock: Clock;
  prober: Prober;
  /** Reports whether the container's startup probe, if it has one, has succeeded. */
  hasStarted(containerId: string): boolean;
  /** Called with the result of each attempt, and its duration including repetitions. */
  onOutcome(kind: ProbeKind, outcome: ProbeOutcome, tookMs: number): void;
  onResult(kind: ProbeKind, containerId: string, result: ProbeResult): void;
}

export interface ProbeWorkerOptions {
  kind: ProbeKind;
  container: Container;
  probe: Probe;
  /** Spreads the probes after a restart of the kubelet. */
  firstDelayMs: number;
}

/** Repeatedly probes one container with one kind of probe (prober/worker.go). */
export class ProbeWorker {
  readonly #deps: ProbeWorkerDeps;
  readonly #options: ProbeWorkerOptions;
  readonly #stop = new AbortController();
  #current: ProbedContainer | undefined;
  #timer: Timer | undefined;
  /** The number of consecutive equal answers. */
  #streak = { outcome: "", length: 0 };
  /** A container that is about to be killed is not probed; its successor is probed instead. */
  #isOnHold = false;
  #result: ProbeResult;

  constructor(deps: ProbeWorkerDeps, options: ProbeWorkerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#result = initialResults[options.kind];
  }

  get containerId(): string | undefined {
    return this.#current?.id;
  }

  get result(): ProbeResult {
    return this.#result;
  }

  /**
   * Sets the newest instance of the container. `adopted`: the result of this instance before the
   * kubelet restarted.
   */
  observe(container: ProbedContainer, adopted: ProbeResult | undefined): void {
    const isFirst = this.#current === undefined;
    if (this.#current?.id !== container.id) {
      this.#result = adopted ?? initialResults[this.#options.kind];
      this.#streak = { outcome: "", length: 0 };
      this.#isOnHold = false;
    }
    this.#current = container;
    if (isFirst) this.#schedule(this.#options.firstDelayMs);
  }

  stop(): void {
    this.#stop.abort();
    this.#timer?.cancel();
  }

  /**
   * Probes soon instead of at the next period, because a fact on which the result depends has
   * changed.
   */
  hurry(): void {
    if (!this.#stop.signal.aborted && this.#timer) this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.clock.after(delayMs, () => {
      this.#timer = undefined;
      void this.#ask().finally(() => {
        if (!this.#stop.signal.aborted) this.#schedule(this.#periodMs());
      });
    });
  }

  #periodMs(): number {
    return (this.#options.probe.periodSeconds ?? 10) * 1000;
  }

  async #ask(): Promise<void> {
    const { kind, probe } = this.#options;
    const current = this.#current;
    if (!current?.running || this.#isOnHold) return;
    const runningForMs = this.#deps.clock.nowMs() - current.startedAtMs;
    // If a container starts in the future, the wall clock was set back. Probing must not wait until
    // the clock reaches that time.
    if (runningForMs >= 0 && runningForMs < (probe.initialDelaySeconds ?? 0) * 1000) return;
    const started = this.#deps.hasStarted(current.id);
    if (kind === "startup" ? started : !started) return;

    const askedMs = this.#deps.clock.monotonicMs();
    const outcome = await this.#attempt(current.target);
    if (this.#stop.signal.aborted || this.#current?.id !== current.id) return;
    this.#deps.onOutcome(kind, outcome, this.#deps.clock.monotonicMs() - askedMs);
    if (outcome.kind === "errored") return;
    this.#count(current.id, outcome.kind === "failure" ? "failure" : "success");
  }

  #count(containerId: string, outcome: "success" | "failure"): void {
    const { kind, probe } = this.#options;
    this.#streak = { outcome, length: this.#streak.outcome === outcome ? this.#streak.length + 1 : 1 };
    const threshold = outcome === "success" ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
    if (this.#streak.length < threshold) return;
    if (kind !== "readiness" && outcome === "failure") {
      this.#isOnHold = true;
      this.#streak = { outcome: "", length: 0 };
    }
    if (this.#result === outcome) return;
    this.#result = outcome;
    this.#deps.onResult(kind, containerId, outcome);
  }

  async #attempt(target: ProbeTarget): Promise<ProbeOutcome> {
    const { kind, probe } = this.#options;
    const limits = { timeoutMs: (probe.timeoutSeconds ?? 1) * 1000, signal: this.#stop.signal, kind };
    let outcome: ProbeOutcome = { kind: "errored", because: "never asked" };
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      outcome = await this.#deps.prober.attempt(probe, target, limits);
      if (outcome.kind !== "errored" || this.#stop.signal.aborted) break;
    }
    return outcome;
  }
}
