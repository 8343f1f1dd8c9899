import { Listeners } from "./listeners.ts";

/**
 * Requests to inspect a pod again. They are made by parts that the workers use and that therefore
 * must not depend on the workers: probes, kills in progress, resizes, volumes. The workers
 * subscribe to them.
 */
export class WakeUps {
  readonly #listeners = new Listeners<string>();

  /** Reports that some state of the pod with this uid has changed. */
  wake(uid: string): void {
    this.#listeners.emit(uid);
  }

  onWake(handler: (uid: string) => void): void {
    this.#listeners.add(handler);
  }
}
