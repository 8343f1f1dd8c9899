import {
  ApiError,
  type EndpointSlice,
  endpointSlices,
  isApiError,
  keyOf,
  nodes,
  parseKey,
  type Pod,
  type Service,
  services,
  triggerTimeAnnotation,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { nameSuffix } from "@kintsugi/clock";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import { hasKeptEndpoints } from "../../shared/service-endpoints/pod-endpoint.ts";
import type { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { TriggerTimes } from "../../shared/service-endpoints/trigger-times.ts";
import { behindRetryMs, type WrittenObjects } from "../../shared/writes/written-objects.ts";
import type { endpointSliceOptions } from "./options.ts";
import { planEndpointSlices, type SlicePlan } from "./plan.ts";

export interface EndpointSliceReconcilerDeps {
  context: ControllerContext<typeof endpointSliceOptions>;
  servicePods: ServicePods;
  slices: Informer<EndpointSlice>;
  written: WrittenObjects;
}

/** A generated name is at most 253 characters long, of which 5 are random. */
const namePrefixLengthMax = 248;

/** Writes the slices of one Service. */
export class EndpointSliceReconciler implements Reconciler {
  readonly #deps: EndpointSliceReconcilerDeps;
  readonly #triggers = new TriggerTimes();

  constructor(deps: EndpointSliceReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, servicePods, slices, written } = this.#deps;
    const service = servicePods.services.find(parseKey(key));
    if (service === undefined) {
      this.#triggers.forget(key);
      written.forget(key);
      return done;
    }
    // Slices of a Service without a selector are another owner's, also those that were made while
    // there was one.
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
      await this.#write(key, plan, triggerTime);
      const [pod] = plan.nodeless;
      if (pod !== undefined) throw missingNode(key, pod);
    } catch (error) {
      if (!signal.aborted) this.#tellFailure(key, service, error);
      throw error;
    }
    return done;
  }

  /** Creations first: an endpoint that moves is in two slices rather than in none. */
  async #write(key: string, plan: SlicePlan, triggerTime: string | undefined): Promise<void> {
    const { context, written } = this.#deps;
    const { client, random } = context;
    for (const slice of plan.create) {
      const name = (slice.metadata.generateName ?? "").slice(0, namePrefixLengthMax) + nameSuffix(random);
      const named = withTriggerTime({ ...slice, metadata: { ...slice.metadata, name } }, triggerTime);
      try {
        written.written(key, await client.create(endpointSlices, named));
      } catch (error) {
        // Nothing can be made there any more, and the rest goes with the namespace.
        if (isNamespaceTerminating(error)) return;
        throw failed(error, `failed to create EndpointSlice for Service ${key}`);
      }
    }
    for (const slice of plan.update) {
      try {
        written.written(key, await client.update(endpointSlices, withTriggerTime(slice, triggerTime)));
      } catch (error) {
        throw failed(error, `failed to update ${slice.metadata.name} EndpointSlice for Service ${key}`);
      }
    }
    for (const slice of plan.remove) await this.#remove(key, slice);
  }

  async #remove(key: string, slice: EndpointSlice): Promise<void> {
    const { uid = "" } = slice.metadata;
    try {
      await this.#deps.context.client.delete(endpointSlices, keyOf(slice), { preconditions: { uid } });
    } catch (error) {
      // Gone already, or another by now: either way this one is not there any more.
      if (isApiError(error, "NotFound", "Conflict")) return;
      throw failed(error, `failed to delete ${slice.metadata.name} EndpointSlice for Service ${key}`);
    }
    this.#deps.written.deleted(key, slice);
  }

  #tellFailure(key: string, service: Service, error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    const message = `Error updating Endpoint Slices for Service ${key}: ${why}`;
    const about = referenceTo(services, service);
    this.#deps.context.recordEvent({ about, type: "Warning", reason: "FailedToUpdateEndpointSlices", message });
  }
}

/** The old time goes even without a new one: it was that of an earlier change. */
function withTriggerTime(slice: EndpointSlice, triggerTime: string | undefined): EndpointSlice {
  const { [triggerTimeAnnotation]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = triggerTime === undefined ? others : { ...others, [triggerTimeAnnotation]: triggerTime };
  return { ...slice, metadata: { ...slice.metadata, annotations } };
}

function failed(error: unknown, what: string): Error {
  const because = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${because}`;
  return isApiError(error)
    ? new ApiError(error.reason, message, { cause: error })
    : new Error(message, { cause: error });
}

function missingNode(key: string, { metadata, spec }: Pod): Error {
  return new Error(`skipping Pod ${metadata.name} for Service ${key}: Node ${spec?.nodeName} Not Found`);
}
