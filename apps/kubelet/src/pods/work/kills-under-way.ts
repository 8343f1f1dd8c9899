import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { WakeUps } from "../../base/wake-ups.ts";

export interface KillsUnderWayDeps {
  clock: Clock;
  log: Logger;
  /** A kill has ended, so the pod with this uid has to be inspected. */
  wakeUps: Pick<WakeUps, "wake">;
}

/**
 * Containers that are being killed while the rest of their pod continues. Upstream's worker waits
 * for each in turn (SyncPod, step 3): a container that ignores SIGTERM delays the restart of the
 * other containers, and changes of its pod's status, for its whole grace period.
 */
export class KillsUnderWay {
  readonly #deps: KillsUnderWayDeps;
  readonly #errorBackoffMs: number;
  /** The ids of containers; at most as many as run on the node. */
  readonly #containers = new Set<string>();

  constructor(deps: KillsUnderWayDeps, options: { errorBackoffMs: number }) {
    this.#deps = deps;
    this.#errorBackoffMs = options.errorBackoffMs;
  }

  /** Reports whether the container is being killed, or a failed kill is not to be retried yet. */
  has(containerId: string): boolean {
    return this.#containers.has(containerId);
  }

  /** Begins `kill`, and lets it run until the signal aborts, when the pod's own end takes over. */
  begin({ uid, containerId }: { uid: string; containerId: string }, kill: () => Promise<void>, signal: AbortSignal) {
    this.#containers.add(containerId);
    void this.#watch({ uid, containerId }, kill, signal);
  }

  async #watch(
    { uid, containerId }: { uid: string; containerId: string },
    kill: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, wakeUps } = this.#deps;
    try {
      await kill();
    } catch (error) {
      if (!signal.aborted) {
        log.warn("container not stopped", { pod: uid, id: containerId, error });
        await clock.sleep(this.#errorBackoffMs, signal).catch(() => {});
      }
    }
    this.#containers.delete(containerId);
    if (!signal.aborted) wakeUps.wake(uid);
  }
}
