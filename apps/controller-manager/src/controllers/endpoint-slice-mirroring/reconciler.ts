import {
  type EndpointSlice,
  endpoints as endpointsType,
  type Endpoints,
  parseKey,
  services,
  messageOf,
} from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { SliceWriter } from "../../shared/service-endpoints/slice-writer.ts";
import { behindRetryMs, type WrittenObjects } from "../../shared/writes/written-objects.ts";
import type { endpointSliceMirroringOptions } from "./options.ts";
import { type MirrorPlan, planMirror } from "./plan.ts";

export interface EndpointSliceMirroringDeps {
  context: ControllerContext<typeof endpointSliceMirroringOptions>;
  slices: Informer<EndpointSlice>;
  written: WrittenObjects;
}

/** Writes the slices that mirror one Endpoints object. */
export class EndpointSliceMirroringReconciler implements Reconciler {
  readonly #deps: EndpointSliceMirroringDeps;
  readonly #writer: SliceWriter;

  constructor(deps: EndpointSliceMirroringDeps) {
    this.#deps = deps;
    this.#writer = new SliceWriter({ ...deps.context, written: deps.written });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { context, slices, written } = this.#deps;
    const { informers, options } = context;
    const own = slices.byIndex("mirrored", key);
    const endpoints = informers.of(endpointsType).find(parseKey(key));
    if (endpoints === undefined && own.length === 0) {
      written.forget(key);
      return done;
    }
    if (written.isAheadOf(key, own)) return { retryAfterMs: behindRetryMs };
    const present = own.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const plan = planMirror(
      { endpoints, service: informers.of(services).find(parseKey(key)), slices: present },
      options.mirroringMaxEndpointsPerSubset,
    );
    if (endpoints !== undefined) this.#reportSkipped(endpoints, plan);
    try {
      await this.#writer.write(key, plan, `Endpoints ${key}`);
    } catch (error) {
      if (!signal.aborted && endpoints !== undefined) this.#reportFailure(key, endpoints, error);
      throw error;
    }
    return done;
  }

  #reportSkipped(endpoints: Endpoints, { invalidCount, surplusCount }: MirrorPlan): void {
    const { mirroringMaxEndpointsPerSubset: max } = this.#deps.context.options;
    if (invalidCount > 0) {
      const message = `Skipped ${invalidCount} invalid IP addresses when mirroring to EndpointSlices`;
      this.#warn(endpoints, "InvalidIPAddress", message);
    }
    if (surplusCount > 0) {
      const limit = `A max of ${max} addresses can be mirrored to EndpointSlices per Endpoints subset.`;
      this.#warn(endpoints, "TooManyAddressesToMirror", `${limit} ${surplusCount} addresses were skipped`);
    }
  }

  #reportFailure(key: string, endpoints: Endpoints, error: unknown): void {
    const why = messageOf(error);
    this.#warn(
      endpoints,
      "FailedToUpdateEndpointSlices",
      `Error updating Endpoint Slices for Endpoints ${key}: ${why}`,
    );
  }

  #warn(endpoints: Endpoints, reason: string, message: string): void {
    const about = referenceTo(endpointsType, endpoints);
    this.#deps.context.recordEvent({ about, type: "Warning", reason, message });
  }
}
