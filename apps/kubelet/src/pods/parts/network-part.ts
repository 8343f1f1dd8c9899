import type { PodEvents } from "../../model/pod-events.ts";
import type { RuntimeHealth } from "../../runtime/observation/runtime-health.ts";
import type { PodPart } from "./pod-part.ts";

/**
 * The network may be ready soon: upstream tries again after backOffOnTransientErrorPeriod, not
 * after the back-off of an error.
 */
const networkRetryMs = 1000;

/** Holds a pod with its own network until the node's network is ready. */
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
