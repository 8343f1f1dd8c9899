import { isApiError, type Logger, resourceClaims } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";

/** The wait between two tries to find out. */
const retryMs = 1_000;

/**
 * Finds out whether the API serves the kinds of devices: an informer of a kind that is not served
 * would never be in step. It asks until it has an answer, or the signal aborts.
 */
export async function areDevicesServed(
  { client, clock, random, log }: { client: Pick<Client, "call">; clock: Clock; random: Random; log: Logger },
  signal: AbortSignal,
): Promise<boolean> {
  const { group, version, resource } = resourceClaims;
  while (!signal.aborted) {
    try {
      const found = await client.call({ method: "GET", path: `/apis/${group}/${version}`, signal });
      const { resources = [] } = found as { resources?: { name: string }[] };
      return resources.some(({ name }) => name === resource);
    } catch (error) {
      if (isApiError(error, "NotFound")) return false;
      if (signal.aborted) break;
      log.warn("cannot find out whether devices are served", { error });
      await clock.sleep(jittered(random, retryMs, 1), signal).catch(() => {});
    }
  }
  return false;
}
