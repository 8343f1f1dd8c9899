import { type Endpoints, endpoints, isApiError, parseKey, messageOf } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { done, type Reconciler, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { hasKeptEndpoints } from "../../shared/service-endpoints/pod-endpoint.ts";
import type { ServicePods } from "../../shared/service-endpoints/service-pods.ts";
import { TriggerTimes } from "../../shared/service-endpoints/trigger-times.ts";
import { isNamespaceTerminating } from "../../shared/writes/write-outcome.ts";
import { planEndpoints } from "./plan.ts";

export interface EndpointsReconcilerDeps {
  context: ControllerContext;
  servicePods: ServicePods;
}

/** Writes the Endpoints of one Service. */
export class EndpointsReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #servicePods: ServicePods;
  readonly #endpoints: Informer<Endpoints>;
  readonly #triggers = new TriggerTimes();

  constructor({ context, servicePods }: EndpointsReconcilerDeps) {
    this.#context = context;
    this.#servicePods = servicePods;
    this.#endpoints = context.informers.of(endpoints);
  }

  async reconcile(key: string): Promise<ReconcileResult> {
    const service = this.#servicePods.services.find(parseKey(key));
    if (service === undefined) {
      this.#triggers.forget(key);
      await this.#remove(key);
      return done;
    }
    if (!hasKeptEndpoints(service)) return done;
    const pods = this.#servicePods.podsOf(service);
    const triggerTime = this.#triggers.next(key, service, pods);
    const current = this.#endpoints.find(parseKey(key));
    const next = planEndpoints({ service, pods, current, triggerTime });
    if (next !== undefined) await this.#write(key, current, next);
    return done;
  }

  /**
   * The write names the revision for which the plan was made. A stale cache makes the write fail,
   * and the next try reads a newer revision.
   */
  async #write(key: string, current: Endpoints | undefined, next: Endpoints): Promise<void> {
    const { client } = this.#context;
    try {
      await (current === undefined ? client.create(endpoints, next) : client.update(endpoints, next));
    } catch (error) {
      if (current === undefined && isNamespaceTerminating(error)) return;
      if (!isApiError(error, "Conflict", "AlreadyExists")) this.#recordFailure(key, { current, next, error });
      throw error;
    }
  }

  #recordFailure(
    key: string,
    { current, next, error }: { current: Endpoints | undefined; next: Endpoints; error: unknown },
  ): void {
    const because = messageOf(error);
    const [reason, message] =
      current === undefined
        ? ["FailedToCreateEndpoint", `Failed to create endpoint for service ${key}: ${because}`]
        : ["FailedToUpdateEndpoint", `Failed to update endpoint ${key}: ${because}`];
    this.#context.recordEvent({ about: referenceTo(endpoints, next), type: "Warning", reason, message });
  }

  /**
   * Reads from the server, because the cache may not contain an object that was created a moment
   * ago.
   */
  async #remove(key: string): Promise<void> {
    const { client } = this.#context;
    const live = await client.find(endpoints, parseKey(key));
    if (live === undefined) return;
    const { uid = "" } = live.metadata;
    try {
      await client.delete(endpoints, parseKey(key), { preconditions: { uid } });
    } catch (error) {
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}
