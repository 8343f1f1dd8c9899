import { flag, option } from "@kintsugi/daemon";

export const endpointsOptions = {
  concurrentEndpointSyncs: option(
    "concurrent-endpoint-syncs",
    flag.count({ min: 1, help: "Services whose Endpoints are worked on at the same time", fallback: 5 }),
  ),
  endpointUpdatesBatchPeriodMs: option(
    "endpoint-updates-batch-period",
    flag.durationMs({ help: "Time that changes of pods are gathered before Endpoints are written", fallback: 0 }),
  ),
};
