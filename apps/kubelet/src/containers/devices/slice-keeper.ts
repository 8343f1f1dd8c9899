import { isApiError, type Logger, resourceSlices } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { DeviceDrivers } from "./device-drivers.ts";

export interface SliceKeeperDeps {
  readonly client: Pick<Client, "list" | "delete">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly drivers: Pick<DeviceDrivers, "isUsable" | "onRegistered">;
  readonly nodeName: string;
}

/** Upstream's defaultWipingDelay: a driver that is updated returns within this time. */
const awayMsMax = 30_000;
const checkIntervalMs = 5_000;
/** There is no work without a driver; a driver that registers wakes the loop. */
const idleMs = 600_000;
const retryMs = { first: 1_000, max: 300_000 };

/**
 * Deletes the node's ResourceSlices without a running driver: all of them when the kubelet starts,
 * and a driver's slices when the driver has been down for 30 s. Without this, pods would be placed
 * on the node for devices that they never get. A driver that returns publishes its slices again.
 */
export class SliceKeeper {
  readonly #deps: SliceKeeperDeps;
  readonly #wakeUp: AutoResetEvent;
  /**
   * The drivers that were registered and whose slices may exist, with the time at which they
   * disappeared.
   */
  readonly #awaySinceMs = new Map<string, number | undefined>();

  constructor(deps: SliceKeeperDeps) {
    this.#deps = deps;
    this.#wakeUp = new AutoResetEvent(deps.clock);
    deps.drivers.onRegistered((driverName) => {
      this.#awaySinceMs.set(driverName, undefined);
      this.#wakeUp.set();
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#wipeAtStart(signal);
    while (!signal.aborted) {
      await this.#checkDrivers(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#deps.log.warn("device drivers not checked", { error });
      });
      await this.#wakeUp.wait(this.#awaySinceMs.size === 0 ? idleMs : checkIntervalMs, signal);
    }
  }

  async #wipeAtStart(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    for (let waitMs = retryMs.first; !signal.aborted; waitMs = Math.min(2 * waitMs, retryMs.max)) {
      try {
        return await this.#wipe(undefined, signal);
      } catch (error) {
        if (!signal.aborted) log.warn("slices of an earlier kubelet not deleted", { error });
      }
      await clock.sleep(waitMs, signal).catch(() => {});
    }
  }

  async #checkDrivers(signal: AbortSignal): Promise<void> {
    const { clock, drivers, log } = this.#deps;
    for (const [driverName, sinceMs] of this.#awaySinceMs) {
      if (await drivers.isUsable(driverName, signal)) {
        this.#awaySinceMs.set(driverName, undefined);
        continue;
      }
      const nowMs = clock.monotonicMs();
      if (sinceMs === undefined) this.#awaySinceMs.set(driverName, nowMs);
      else if (nowMs - sinceMs >= awayMsMax) {
        await this.#wipe(driverName, signal);
        log.info("device driver is not connected, its slices were deleted", { driver: driverName });
        // A socket that still exists may accept connections again without a registration.
        this.#awaySinceMs.set(driverName, undefined);
      }
    }
  }

  /**
   * Each slice is deleted under its UID, so that a slice that its driver has published in the
   * meantime is unaffected.
   */
  async #wipe(driverName: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, nodeName } = this.#deps;
    const ofDriver = driverName === undefined ? "" : `,spec.driver=${driverName}`;
    const options = { fieldSelector: `spec.nodeName=${nodeName}${ofDriver}`, signal };
    const { items } = await client.list(resourceSlices, options).catch(noneWhereUnserved);
    for (const { metadata } of items) {
      const { name = "", uid } = metadata;
      const preconditions = uid === undefined ? {} : { preconditions: { uid } };
      await client.delete(resourceSlices, { namespace: "", name }, { ...preconditions, signal }).catch(ignoreGone);
    }
  }
}

function noneWhereUnserved(error: unknown): { items: [] } {
  if (isApiError(error, "NotFound")) return { items: [] };
  throw error;
}

function ignoreGone(error: unknown): void {
  if (!isApiError(error, "NotFound", "Conflict")) throw error;
}
