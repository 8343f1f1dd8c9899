import type { PodEvents } from "../../model/pod-events.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";
import type { PodPart } from "./pod-part.ts";

/**
 * The network may be ready soon, so as in upstream's backOffOnTransientErrorPeriod the retry does
 * not wait for the back-off of an error.
 */
const networkRetryMs = 1000;

/** Delays a pod with its own network until the node's network is ready. */
export function networkPart({
  health,
  events,
}: {
  health: Pick<RuntimeHealth, "networkError">;
  events: PodEvents;
}): PodPart {
  return {
    name: "network",
    hold(pod) {
      const because = pod.spec.hostNetwork ? undefined : health.networkError();
      if (because === undefined) return undefined;
      events.warning(pod, "NetworkNotReady", `network is not ready: ${because}`);
      return { retryAfterMs: networkRetryMs };
    },
  };
}
