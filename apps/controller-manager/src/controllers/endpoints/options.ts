import { flag, option } from "@kintsugi/daemon";

export const endpointsOptions = {
  concurrentEndpointSyncs: option(
    "concurrent-endpoint-syncs",
    flag.count({ min: 1, help: "Services whose Endpoints are reconciled at the same time", fallback: 5 }),
  ),
  endpointUpdatesBatchPeriodMs: option(
    "endpoint-updates-batch-period",
    flag.durationMs({ help: "Time that changes of pods are batched before Endpoints are written", fallback: 0 }),
  ),
};
