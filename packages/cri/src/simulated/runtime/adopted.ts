import type { Clock } from "@kintsugi/clock";
import type { ContainerConfig } from "../../messages/container.ts";
import type { PodSandboxConfig } from "../../messages/sandbox.ts";
import type { ContainerEnding } from "./container.ts";

/** A pod that was running in another runtime before this runtime was made. */
export interface AdoptedPod {
  readonly sandbox: { readonly id: string; readonly config: PodSandboxConfig; readonly ip: string };
  readonly createdAtMs: number;
  readonly containers: readonly AdoptedContainer[];
}

export interface AdoptedContainer {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly startedAtMs: number;
  /** Set if the container has ended. */
  readonly ended?: ContainerEnding & { readonly atMs: number };
}

/** A clock that returns another time while a past is simulated, and the true time afterwards. */
export class PastClock implements Clock {
  readonly #clock: Clock;
  #pastMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time that is returned from now on; undefined for the true time. */
  show(pastMs: number | undefined): void {
    this.#pastMs = pastMs;
  }

  nowMs(): number {
    return this.#pastMs ?? this.#clock.nowMs();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): ReturnType<Clock["after"]> {
    return this.#clock.after(delayMs, callback);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(delayMs, signal);
  }

  nextTurn(): Promise<void> {
    return this.#clock.nextTurn();
  }
}
