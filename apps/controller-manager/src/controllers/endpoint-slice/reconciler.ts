import {
  type EndpointSlice,
  nodes,
  parseKey,
  type Pod,
  type Service,
  services,
  triggerTimeAnnotation,
  messageOf,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { hasKeptEndpoints } from "../../shared/service-endpoints/pod-endpoint.ts";
import type { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { SliceWriter } from "../../shared/service-endpoints/slice-writer.ts";
import { TriggerTimes } from "../../shared/service-endpoints/trigger-times.ts";
import { behindRetryMs, type WrittenObjects } from "../../shared/writes/written-objects.ts";
import type { endpointSliceOptions } from "./options.ts";
import { planEndpointSlices } from "./plan.ts";

export interface EndpointSliceReconcilerDeps {
  context: ControllerContext<typeof endpointSliceOptions>;
  servicePods: ServicePods;
  slices: Informer<EndpointSlice>;
  written: WrittenObjects;
}

/** Writes the slices of one Service. */
export class EndpointSliceReconciler implements Reconciler {
  readonly #deps: EndpointSliceReconcilerDeps;
  readonly #writer: SliceWriter;
  readonly #triggers = new TriggerTimes();

  constructor(deps: EndpointSliceReconcilerDeps) {
    this.#deps = deps;
    this.#writer = new SliceWriter({ ...deps.context, written: deps.written });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, servicePods, slices, written } = this.#deps;
    const service = servicePods.services.find(parseKey(key));
    if (service === undefined) {
      this.#triggers.forget(key);
      written.forget(key);
      return done;
    }
    // Slices of a Service without a selector belong to another owner, including slices that were
    // made while the Service had a selector.
    if (!hasKeptEndpoints(service)) return done;
    const pods = servicePods.podsOf(service);
    const own = slices.byIndex("service", key);
    if (written.isAheadOf(key, own)) return { retryAfterMs: behindRetryMs };
    const triggerTime = this.#triggers.next(key, service, pods);
    const plan = planEndpointSlices(
      {
        service,
        pods,
        findNode: (name) => context.informers.of(nodes).find({ namespace: "", name }),
        slices: own.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
      },
      { endpointsPerSliceMax: context.options.maxEndpointsPerSlice },
    );
    try {
      const timed = (slice: EndpointSlice) => withTriggerTime(slice, triggerTime);
      const changes = { create: plan.create.map(timed), update: plan.update.map(timed), remove: plan.remove };
      await this.#writer.write(key, changes, `Service ${key}`);
      const [pod] = plan.nodeless;
      if (pod !== undefined) throw missingNode(key, pod);
    } catch (error) {
      if (!signal.aborted) this.#tellFailure(key, service, error);
      throw error;
    }
    return done;
  }

  #tellFailure(key: string, service: Service, error: unknown): void {
    const why = messageOf(error);
    const message = `Error updating Endpoint Slices for Service ${key}: ${why}`;
    const about = referenceTo(services, service);
    this.#deps.context.recordEvent({ about, type: "Warning", reason: "FailedToUpdateEndpointSlices", message });
  }
}

/** The old time is removed even without a new time, because it belonged to an earlier change. */
function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = triggerTime === undefined ? others : { ...others, [triggerTimeAnnotation]: triggerTime };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

function missingNode(key: string, { metadata, spec }: Pod): Error {
  return new Error(`skipping Pod ${metadata.name} for Service ${key}: Node ${spec?.nodeName} Not Found`);
}
