import { type EndpointSlice, endpointSlices, formatKey, keyOf } from "@kintsugi/api";
import type { Informer, InformerChange } from "@kintsugi/client";
import { type Controller, QueueController } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { whileListening } from "../../shared/while-listening.ts";
import { WrittenObjects } from "../../shared/writes/written-objects.ts";
import { EndpointSliceReconciler } from "./reconciler.ts";
import { serviceKeyOf } from "./slice-metadata.ts";

/** What somebody else does to a slice is looked at after this, so that changes of many are one look; upstream's. */
const sliceChangeDelayMs = 1000;
/** Upstream's: a Service can have many slices, so one that fails waits longer than other keys do. */
const backoff = { initialMs: 1000, maxMs: 1_000_000, factor: 2 };

/** Writes the addresses of the pods behind each Service into EndpointSlices. */
export class EndpointSliceController implements Controller {
  readonly name = "endpointslice";
  readonly #context: ControllerContext;
  readonly #servicePods: ServicePods;
  readonly #slices: Informer<EndpointSlice>;
  readonly #written: WrittenObjects;
  readonly #queue: QueueController;

  constructor(context: ControllerContext) {
    const { informers, options } = context;
    this.#context = context;
    const servicePods = new ServicePods(informers);
    const slices = informers.of(endpointSlices, {
      indexes: { service: (slice) => [serviceKeyOf(slice) ?? ""].filter((key) => key !== "") },
    });
    const written = new WrittenObjects(slices);
    const recordEvent = context.eventsAs("endpoint-slice-controller");
    this.#queue = new QueueController(
      {
        ...context,
        reconciler: new EndpointSliceReconciler({ context, servicePods, slices, written, recordEvent }),
        allKeys: () => servicePods.allKeys(),
      },
      { name: "endpoint_slice", workers: options.concurrentServiceEndpointSyncs, backoff },
    );
    this.#servicePods = servicePods;
    this.#slices = slices;
    this.#written = written;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informers, options } = this.#context;
    const stops = [
      this.#servicePods.services.onChange(({ object }) => this.#queue.enqueue(formatKey(keyOf(object)))),
      informers.pods.onChange((change) => {
        for (const key of this.#servicePods.keysFor(change))
          this.#queue.enqueueAfter(key, options.endpointsliceUpdatesBatchPeriodMs);
      }),
      this.#slices.onChange((change) => this.#onSlice(change)),
    ];
    await whileListening(stops, this.#queue.run(signal));
  }

  /** A slice that says what this process has written is no news. */
  #onSlice(change: InformerChange<EndpointSlice>): void {
    const slice = change.object;
    const key = serviceKeyOf(slice);
    if (change.type === "modified") {
      const before = serviceKeyOf(change.before);
      if (before !== undefined && before !== key) this.#enqueueLater(before);
    }
    if (key === undefined) return;
    const isNews = change.type === "deleted" ? this.#written.noteGone(key, slice) : this.#written.isNews(key, slice);
    if (isNews) this.#enqueueLater(key);
  }

  #enqueueLater(key: string): void {
    const { endpointsliceUpdatesBatchPeriodMs } = this.#context.options;
    this.#queue.enqueueAfter(key, Math.max(sliceChangeDelayMs, endpointsliceUpdatesBatchPeriodMs));
  }
}
