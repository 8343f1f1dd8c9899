import { isApiError, parseKey, type PersistentVolumeClaim, persistentVolumeClaims, pods } from "@kintsugi/api";
import { done, type Reconciler, type ReconcileResult } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { claimFinalizer, planClaimProtection, usesClaim } from "./plan.ts";

/** Another client wrote first; its change has usually arrived by the next try. */
const conflictRetryMs = 50;

/**
 * Adds the finalizer to claims, and removes it from claims that are being deleted and that no pod
 * uses.
 */
export class ClaimProtector implements Reconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const claim = this.#context.informers.of(persistentVolumeClaims).find(parseKey(key));
    if (claim === undefined) return done;
    const finalizers = claim.metadata.finalizers ?? [];
    switch (planClaimProtection(claim)) {
      case "nothing":
        return done;
      case "add finalizer":
        return this.#write(claim, [...finalizers, claimFinalizer], signal);
      case "remove finalizer if unused": {
        if (await this.#isUsed(claim, signal)) return done;
        const others = finalizers.filter((finalizer) => finalizer !== claimFinalizer);
        return this.#write(claim, others, signal);
      }
    }
  }

  /** The API itself decides, because a pod that was just bound may be missing in the cache. */
  async #isUsed(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<boolean> {
    const { client, informers } = this.#context;
    const { namespace = "" } = claim.metadata;
    if (
      informers
        .of(pods)
        .byIndex("namespace", namespace)
        .some((pod) => usesClaim(pod, claim))
    )
      return true;
    const { items } = await client.list(pods, { namespace, signal });
    return items.some((pod) => usesClaim(pod, claim));
  }

  async #write(claim: PersistentVolumeClaim, finalizers: string[], signal: AbortSignal): Promise<ReconcileResult> {
    const next = { ...claim, metadata: { ...claim.metadata, finalizers } };
    try {
      await this.#context.client.update(persistentVolumeClaims, next, { signal });
      return done;
    } catch (error) {
      if (isApiError(error, "NotFound")) return done;
      if (isApiError(error, "Conflict")) return { retryAfterMs: conflictRetryMs };
      throw error;
    }
  }
}
