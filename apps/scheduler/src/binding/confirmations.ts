import type { Clock, Timer } from "@kintsugi/clock";
import type { QueuedPod } from "../queue/queued-pod.ts";

/** A bound pod that the informer does not show as bound after this time is read. */
const confirmationTimeoutMs = 30_000;

/**
 * Bound pods that the informer does not yet show as bound, in the order in which they were bound. A
 * pod that is shown is removed immediately, so the list is as long as the number of bindings in the
 * informer's delay.
 */
export class Confirmations {
  readonly #clock: Clock;
  readonly #onOverdue: (pod: QueuedPod) => void;
  readonly #expected = new Map<string, { pod: QueuedPod; dueMs: number }>();
  #timer: Timer | undefined;

  /** `onOverdue` is called with every pod whose time has expired. */
  constructor(clock: Clock, onOverdue: (pod: QueuedPod) => void) {
    this.#clock = clock;
    this.#onOverdue = onOverdue;
  }

  expect(pod: QueuedPod): void {
    this.#expected.set(pod.pod.uid, { pod, dueMs: this.#clock.monotonicMs() + confirmationTimeoutMs });
    if (this.#timer === undefined) this.#arm();
  }

  /** Records that the informer shows the pod as bound, or as removed. */
  confirm(uid: string): void {
    if (this.#expected.delete(uid) && this.#expected.size === 0) this.stop();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#expected.clear();
  }

  #arm(): void {
    this.#timer = undefined;
    for (const { dueMs } of this.#expected.values()) {
      this.#timer = this.#clock.after(dueMs - this.#clock.monotonicMs(), () => this.#sweep());
      return;
    }
  }

  #sweep(): void {
    for (const [uid, { pod, dueMs }] of this.#expected) {
      if (dueMs > this.#clock.monotonicMs()) break;
      this.#expected.delete(uid);
      this.#onOverdue(pod);
    }
    this.#arm();
  }
}
