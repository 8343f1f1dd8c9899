import { flag, option } from "@kintsugi/daemon";

export const endpointSliceOptions = {
  concurrentServiceEndpointSyncs: option(
    "concurrent-service-endpoint-syncs",
    flag.count({
      min: 1,
      max: 50,
      help: "Services whose EndpointSlices are reconciled at the same time",
      fallback: 5,
    }),
  ),
  // A slice is sent to every node when one of its endpoints changes.
  maxEndpointsPerSlice: option(
    "max-endpoints-per-slice",
    flag.count({ min: 1, max: 1000, help: "Largest number of endpoints in one EndpointSlice", fallback: 100 }),
  ),
  endpointsliceUpdatesBatchPeriodMs: option(
    "endpointslice-updates-batch-period",
    flag.durationMs({ help: "Time that changes of pods are batched before EndpointSlices are written", fallback: 0 }),
  ),
};
