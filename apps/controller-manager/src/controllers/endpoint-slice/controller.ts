import { type EndpointSlice, endpointSlices, nodes, pods, services } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { on, reading } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { indexedPods, indexedServices } from "../../shared/indexed-kinds.ts";
import { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { WrittenObjects } from "../../shared/writes/written-objects.ts";
import { endpointSliceOptions } from "./options.ts";
import { EndpointSliceReconciler } from "./reconciler.ts";
import { serviceKeyOf } from "./slice-metadata.ts";
import { endpointSliceRole } from "@kintsugi/rules";

/**
 * A change of a slice by another writer is inspected after this time, so that many changes cost one
 * pass; upstream's value.
 */
const sliceChangeDelayMs = 1000;
/**
 * Upstream's value: a Service can have many slices, so a failed key waits longer than other keys
 * do.
 */
const backoff = { initialMs: 1000, maxMs: 1_000_000, factor: 2 };

const indexedSlices = reading(endpointSlices, {
  service: (slice) => [serviceKeyOf(slice) ?? ""].filter((key) => key !== ""),
});

/** Writes the addresses of the pods behind each Service into EndpointSlices. */
export const endpointSliceController = defineController({
  name: "endpointslice",
  options: endpointSliceOptions,
  roles: [endpointSliceRole],
  events: "endpoint-slice-controller",
  reads: [indexedServices, indexedSlices, indexedPods, nodes],
  create(context) {
    const { informers, options } = context;
    const slices = informers.of(endpointSlices);
    const servicePods = new ServicePods(informers);
    const written = new WrittenObjects(slices);
    const reconciler = new EndpointSliceReconciler({ context, servicePods, slices, written });
    const batchMs = options.endpointsliceUpdatesBatchPeriodMs;
    return {
      queue: "endpoint_slice",
      workers: options.concurrentServiceEndpointSyncs,
      backoff,
      keys: services,
      watches: [
        on(services),
        on(pods, (change) => servicePods.keysFor(change), { afterMs: batchMs }),
        on(endpointSlices, (change) => servicesOf(change, written), { afterMs: Math.max(sliceChangeDelayMs, batchMs) }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

/**
 * The Services of a slice, before and after the change. A slice that contains this process's own
 * write does not cause a pass.
 */
function servicesOf(change: InformerChange<EndpointSlice>, written: WrittenObjects): string[] {
  const slice = change.object;
  const key = serviceKeyOf(slice);
  const before = change.type === "modified" ? serviceKeyOf(change.before) : undefined;
  const left = before !== undefined && before !== key ? [before] : [];
  if (key === undefined) return left;
  const isNews = change.type === "deleted" ? written.noteGone(key, slice) : written.isNews(key, slice);
  return isNews ? [...left, key] : left;
}
