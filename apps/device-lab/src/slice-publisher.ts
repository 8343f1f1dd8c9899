import { isApiError, type Logger, nodes, resourceSlices } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type LabDevices, planSlices } from "./plan-slices.ts";

export interface SlicePublisherDeps {
  readonly client: Pick<Client, "get" | "list" | "create" | "update" | "delete" | "watch">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The API is away, or the kubelet has not registered the node yet. */
const retryMs = { first: 500, max: 15_000 };
/** A watch that misses a change is made good within this time. */
const relistMs = 60_000;

/**
 * Keeps the ResourceSlices of the node's devices in the API. A kubelet deletes them when it starts,
 * so the driver follows them and publishes them again.
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
        const resourceVersion = await this.#publish(signal);
        waitMs = retryMs.first;
        await this.#untilChange(resourceVersion, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn("slices not published", { error });
        await clock.sleep(waitMs, signal).catch(() => {});
        waitMs = Math.min(2 * waitMs, retryMs.max);
      }
    }
  }

  /** Returns the revision from which changes are to be followed. */
  async #publish(signal: AbortSignal): Promise<string> {
    const { client, log } = this.#deps;
    const { nodeName, driverName } = this.#devices;
    const node = await client.get(nodes, { namespace: "", name: nodeName }, { signal });
    const fieldSelector = `spec.nodeName=${nodeName},spec.driver=${driverName}`;
    const { items, resourceVersion } = await client.list(resourceSlices, { fieldSelector, signal });
    const plan = planSlices(this.#devices, items, node);
    for (const slice of plan.create) await client.create(resourceSlices, slice, { signal }).catch(ignorePresent);
    for (const slice of plan.update) await client.update(resourceSlices, slice, { signal });
    for (const { metadata } of plan.remove)
      await client.delete(resourceSlices, { namespace: "", name: metadata.name ?? "" }, { signal }).catch(ignoreGone);
    const writes = plan.create.length + plan.update.length + plan.remove.length;
    if (writes > 0) log.info("slices published", { devices: this.#devices.count, writes });
    return resourceVersion;
  }

  /** Resolves after a change of the slices, or when the server ends the watch. */
  async #untilChange(resourceVersion: string, signal: AbortSignal): Promise<void> {
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
