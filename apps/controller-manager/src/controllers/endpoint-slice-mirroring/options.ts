import { flag, option } from "@kintsugi/daemon";

export const endpointSliceMirroringOptions = {
  mirroringConcurrentServiceEndpointSyncs: option(
    "mirroring-concurrent-service-endpoint-syncs",
    flag.count({
      min: 1,
      max: 50,
      help: "Endpoints that are mirrored to EndpointSlices at the same time",
      fallback: 5,
    }),
  ),
  mirroringMaxEndpointsPerSubset: option(
    "mirroring-max-endpoints-per-subset",
    flag.count({
      min: 1,
      max: 1000,
      help: "Addresses of each subset of Endpoints that are mirrored to EndpointSlices",
      fallback: 1000,
    }),
  ),
  mirroringEndpointsliceUpdatesBatchPeriodMs: option(
    "mirroring-endpointslice-updates-batch-period",
    flag.durationMs({
      help: "Time that changes of Endpoints are batched before their EndpointSlices are written",
      fallback: 0,
    }),
  ),
};
