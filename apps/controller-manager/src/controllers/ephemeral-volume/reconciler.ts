import { isApiError, parseKey, type PersistentVolumeClaim, persistentVolumeClaims, pods } from "@kintsugi/api";
import { done, type ReconcileResult, referenceTo } from "@kintsugi/controller";
import type { ControllerContext } from "../../context.ts";
import { ephemeralVolumesOf, planEphemeralVolume } from "./plan.ts";

/** The owner of a claim with the same name has to delete it first, so the retry is slow. */
const conflictRetryMs = 10_000;

/** Creates the claims of a pod's ephemeral volumes; the garbage collector deletes them. */
export class EphemeralClaims {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers, recordEvent } = this.#context;
    const pod = informers.of(pods).find(parseKey(key));
    if (pod === undefined) return done;
    const { namespace = "", name = "" } = pod.metadata;
    let result: ReconcileResult = done;
    for (const volume of ephemeralVolumesOf(pod)) {
      const claimName = `${name}-${volume.name}`;
      const present = informers.of(persistentVolumeClaims).find({ namespace, name: claimName });
      const step = planEphemeralVolume(pod, volume, present);
      if (step.is === "nothing") continue;
      const fault = step.is === "create" ? await this.#tryCreate(step.claim, signal) : step.because;
      if (fault === undefined) continue;
      const message = `ephemeral volume ${volume.name}: ${fault}`;
      recordEvent({ about: referenceTo(pods, pod), type: "Warning", reason: "FailedBinding", message });
      result = { retryAfterMs: conflictRetryMs };
    }
    return result;
  }

  /**
   * Returns the API's error. A claim that the cache does not contain yet is judged when the cache
   * receives it.
   */
  async #tryCreate(claim: PersistentVolumeClaim, signal: AbortSignal): Promise<string | undefined> {
    try {
      await this.#context.client.create(persistentVolumeClaims, claim, { signal });
      return undefined;
    } catch (error) {
      if (isApiError(error, "AlreadyExists")) return undefined;
      if (isApiError(error, "Forbidden", "Invalid")) return `create PVC ${claim.metadata.name}: ${error.message}`;
      throw error;
    }
  }
}
