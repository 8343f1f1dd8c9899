import { isApiError, type Logger, nodes, resourceSlices, sameJson } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type LabDevices, planSlices } from "./plan-slices.ts";

export interface SlicePublisherDeps {
  readonly client: Pick<Client, "get" | "list" | "create" | "update" | "delete" | "watch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Lists the names of broken devices. */
  readonly listBroken: () => Promise<readonly string[]>;
}

/** Delay of a retry when the API is unreachable, or the kubelet has not registered the node yet. */
const retryMs = { first: 500, max: 15_000 };
/** Time within which a change that a watch missed is detected. */
const relistMs = 60_000;
/** Time within which a broken device is detected. */
const brokenPollMs = 1_000;

/**
 * Maintains the ResourceSlices of the node's devices in the API. A kubelet deletes them when it
 * starts, so the driver follows them and publishes them again.
 */
export class SlicePublisher {
  readonly #deps: SlicePublisherDeps;
  readonly #devices: LabDevices;

  constructor(deps: SlicePublisherDeps, devices: LabDevices) {
    this.#deps = deps;
    this.#devices = devices;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    let waitMs = retryMs.first;
    while (!signal.aborted) {
      try {
        const published = await this.#publish(signal);
        waitMs = retryMs.first;
        await this.#untilChange(published, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("slices not published", { error });
        await clock.sleep(waitMs, signal).catch(() => {});
        waitMs = Math.min(2 * waitMs, retryMs.max);
      }
    }
  }

  /**
   * Returns the revision from which changes have to be followed, and the devices that are broken at
   * that time.
   */
  async #publish(signal: AbortSignal): Promise<{ resourceVersion: string; broken: readonly string[] }> {
    const { client, log, listBroken } = this.#deps;
    const { nodeName, driverName } = this.#devices;
    const node = await client.get(nodes, { namespace: "", name: nodeName }, { signal });
    const fieldSelector = `spec.nodeName=${nodeName},spec.driver=${driverName}`;
    const { items, resourceVersion } = await client.list(resourceSlices, { fieldSelector, signal });
    const broken = await listBroken();
    const plan = planSlices(this.#devices, { present: items, owner: node, broken });
    for (const slice of plan.create) await client.create(resourceSlices, slice, { signal }).catch(ignorePresent);
    for (const slice of plan.update) await client.update(resourceSlices, slice, { signal });
    for (const { metadata } of plan.remove)
      await client.delete(resourceSlices, { namespace: "", name: metadata.name ?? "" }, { signal }).catch(ignoreGone);
    const writes = plan.create.length + plan.update.length + plan.remove.length;
    if (writes > 0) log.info("slices published", { devices: this.#devices.count, broken: broken.length, writes });
    return { resourceVersion, broken };
  }

  /**
   * Resolves after a change of the slices or of the broken devices, or when the server ends the
   * watch.
   */
  async #untilChange(
    { resourceVersion, broken }: { resourceVersion: string; broken: readonly string[] },
    signal: AbortSignal,
  ): Promise<void> {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const turns = [this.#untilOthersBreak(broken, either), this.#untilSlicesChange(resourceVersion, either)];
    try {
      await Promise.race(turns);
    } finally {
      over.abort();
      await Promise.allSettled(turns);
    }
  }

  async #untilOthersBreak(broken: readonly string[], signal: AbortSignal): Promise<void> {
    const { clock, listBroken } = this.#deps;
    do {
      await clock.sleep(brokenPollMs, signal);
    } while (sameJson(await listBroken(), broken));
  }

  async #untilSlicesChange(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const { nodeName, driverName } = this.#devices;
    const fieldSelector = `spec.nodeName=${nodeName},spec.driver=${driverName}`;
    const timeoutSeconds = relistMs / 1000;
    const options = { fieldSelector, resourceVersion, timeoutSeconds, signal };
    for await (const { type } of this.#deps.client.watch(resourceSlices, options)) {
      if (type !== "BOOKMARK") return;
    }
  }
}

function ignorePresent(error: unknown): void {
  if (!isApiError(error, "AlreadyExists")) throw error;
}

function ignoreGone(error: unknown): void {
  if (!isApiError(error, "NotFound")) throw error;
}
