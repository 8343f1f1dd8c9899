import { Listeners } from "./listeners.ts";

/**
 * Requests to inspect a pod again. Parts that the workers use make them, and so cannot know the
 * workers: probes, kills under way, resizes, volumes. The workers follow them.
 */
export class WakeUps {
  readonly #listeners = new Listeners<string>();

  /** Something of the pod with this uid has changed. */
  wake(uid: string): void {
    this.#listeners.emit(uid);
  }

  onWake(handler: (uid: string) => void): void {
    this.#listeners.add(handler);
  }
}
