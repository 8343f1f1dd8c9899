import { endpoints, type EndpointSlice, endpointSlices, services } from "@kintsugi/api";
import type { InformerChange } from "@kintsugi/client";
import { on, reading } from "@kintsugi/controller";
import { defineController } from "../../context.ts";
import { WrittenObjects } from "../../shared/writes/written-objects.ts";
import { mirroredKeyOf } from "./mirror-metadata.ts";
import { endpointSliceMirroringOptions } from "./options.ts";
import { EndpointSliceMirroringReconciler } from "./reconciler.ts";
import { endpointSliceMirroringRole } from "@kintsugi/rules";

/**
 * A change of a slice by another writer is inspected after this time, so that many changes cost one
 * pass; upstream's value.
 */
const sliceChangeDelayMs = 1000;
/** Upstream's back-off, as for the slices of pods. */
const backoff = { initialMs: 1000, maxMs: 1_000_000, factor: 2 };

const indexedSlices = reading(endpointSlices, {
  mirrored: (slice) => [mirroredKeyOf(slice) ?? ""].filter((key) => key !== ""),
});

/** Mirrors the Endpoints that clients write for Services without selectors into EndpointSlices. */
export const endpointSliceMirroringController = defineController({
  name: "endpointslicemirroring",
  options: endpointSliceMirroringOptions,
  roles: [endpointSliceMirroringRole],
  events: "endpoint-slice-mirroring-controller",
  reads: [services, endpoints, indexedSlices],
  create(context) {
    const { informers, options } = context;
    const slices = informers.of(endpointSlices);
    const written = new WrittenObjects(slices);
    const reconciler = new EndpointSliceMirroringReconciler({ context, slices, written });
    const batchMs = options.mirroringEndpointsliceUpdatesBatchPeriodMs;
    return {
      queue: "endpoint_slice_mirroring",
      workers: options.mirroringConcurrentServiceEndpointSyncs,
      backoff,
      keys: endpoints,
      // Slices whose Endpoints were deleted while this process was not running.
      keysAtStart: () => slices.list().flatMap((slice) => mirroredKeyOf(slice) ?? []),
      watches: [
        on(endpoints, undefined, { afterMs: batchMs }),
        on(services),
        on(endpointSlices, (change) => mirroredBy(change, written), { afterMs: Math.max(sliceChangeDelayMs, batchMs) }),
      ],
      reconcile: (key, signal) => reconciler.reconcile(key, signal),
    };
  },
});

/**
 * The Endpoints of a slice, before and after the change. A slice that contains this process's own
 * write does not cause a pass.
 */
function mirroredBy(change: InformerChange<EndpointSlice>, written: WrittenObjects): string[] {
  const slice = change.object;
  const key = mirroredKeyOf(slice);
  const before = change.type === "modified" ? mirroredKeyOf(change.before) : undefined;
  const left = before !== undefined && before !== key ? [before] : [];
  if (key === undefined) return left;
  const isNews = change.type === "deleted" ? written.noteGone(key, slice) : written.isNews(key, slice);
  return isNews ? [...left, key] : left;
}
