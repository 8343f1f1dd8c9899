import type { ResourceType } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, untilAborted } from "@kintsugi/clock";
import type { ControllerCapability } from "@kintsugi/csi";
import type { StorageDriver } from "./context.ts";

/**
 * Interval of searches for kinds that are not served yet, because their definitions may be created
 * later.
 */
const lookAgainMs = 5_000;

export interface ServedDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly driver: StorageDriver;
}

/** Resolves when the API server serves all of the kinds. */
export async function untilServed(
  deps: ServedDeps,
  kinds: readonly ResourceType[],
  signal: AbortSignal,
): Promise<void> {
  for (const { group, version, resource } of kinds)
    await untilAnswered(
      deps,
      () => deps.client.call({ method: "GET", path: `/apis/${group}/${version}/${resource}?limit=1`, signal }),
      signal,
    );
}

/** Resolves if the driver has the capability, or else when the signal aborts. */
export async function untilCapable(
  deps: ServedDeps,
  capability: ControllerCapability,
  signal: AbortSignal,
): Promise<void> {
  const ask = () => deps.driver.controllerGetCapabilities({}, signal);
  const { capabilities } = await untilAnswered(deps, ask, signal);
  if (!capabilities.some(({ rpc }) => rpc?.type === capability)) await untilAborted(signal);
}

/** The program does not end when a server or a driver is down, or when a right is granted late. */
async function untilAnswered<T>({ clock }: ServedDeps, ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) throw error;
    }
    await clock.sleep(lookAgainMs, signal);
  }
}
