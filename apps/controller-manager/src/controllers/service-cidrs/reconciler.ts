import { ipAddresses, isApiError, parseKey, type ServiceCIDR, serviceCidrs } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { planServiceCidr } from "./plan.ts";

/** Another client wrote first; its change has usually arrived by the next try. */
const conflictRetryMs = 50;

/** Takes one step for a ServiceCIDR; its own change triggers the next step. */
export class ServiceCidrReconciler implements Reconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers, clock } = this.#context;
    const ranges = informers.of(serviceCidrs);
    const range = ranges.find(parseKey(key));
    if (range === undefined) return done;
    const addresses = informers.of(ipAddresses).list();
    const plan = planServiceCidr({ range, all: ranges.list(), addresses, nowMs: clock.nowMs() });
    switch (plan.step) {
      case "nothing":
        return done;
      case "wait":
        return { retryAfterMs: plan.forMs };
      case "write finalizers": {
        const next = { ...range, metadata: { ...range.metadata, finalizers: plan.finalizers } };
        return this.#write(() => client.update(serviceCidrs, next, { signal }));
      }
      case "write status": {
        const next = { ...range, status: plan.status };
        return this.#write(() => client.update(serviceCidrs, next, { subresource: "status", signal }));
      }
    }
  }

  async #write(write: () => Promise<ServiceCIDR>): Promise<ReconcileResult> {
    try {
      await write();
      return done;
    } catch (error) {
      if (isApiError(error, "NotFound")) return done;
      if (isApiError(error, "Conflict")) return { retryAfterMs: conflictRetryMs };
      throw error;
    }
  }
}
