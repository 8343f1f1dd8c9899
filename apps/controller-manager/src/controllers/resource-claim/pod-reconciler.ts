import {
  isApiError,
  parseKey,
  type Pod,
  pods,
  type ResourceClaim,
  resourceClaims,
  resourceClaimTemplates,
} from "@kintsugi/api";
import { done, type ReconcileResult, referenceTo, settled } from "@kintsugi/controller";
import { claimOfEntry, isDeviceClaimOf, podClaimNameAnnotation, type PodResourceClaimEntry } from "@kintsugi/rules";
import type { ControllerContext } from "../../context.ts";
import { claimFor, entriesOf, planEntry, withReservation } from "./plan-pod.ts";

/**
 * Interval after which a rejected creation is retried. The creation of a missing template wakes the
 * pod earlier.
 */
const refusedRetryMs = 10_000;
/** Number of names that are tried. More foreign claims do not have such names by chance. */
const namesMax = 5;

/** Creates the claims that a pod's templates describe, and reserves claims for pods with a node. */
export class PodClaimMaker {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    return settled(this.#reconcile(key, signal));
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const pod = this.#context.informers.of(pods).find(parseKey(key));
    if (pod === undefined) return done;
    const made = await this.#makeClaims(pod, signal);
    return made.retryAfterMs === undefined ? await this.#reserve(pod, signal) : { retryAfterMs: made.retryAfterMs };
  }

  async #makeClaims(pod: Pod, signal: AbortSignal): Promise<{ retryAfterMs: number | undefined }> {
    const { informers, recordEvent } = this.#context;
    const owned = informers.of(resourceClaims).byIndex("controller", pod.metadata.uid ?? "");
    const made: { name: string; resourceClaimName: string }[] = [];
    let retryAfterMs: number | undefined;
    for (const entry of entriesOf(pod)) {
      const step = planEntry(pod, entry, owned);
      if (step.is === "note") made.push({ name: entry.name, resourceClaimName: step.claimName });
      if (step.is !== "create") continue;
      const outcome = await this.#make(pod, { entry, templateName: step.templateName }, signal);
      if ("name" in outcome) {
        made.push({ name: entry.name, resourceClaimName: outcome.name });
        continue;
      }
      const message = `PodResourceClaim ${entry.name}: ${outcome.because}`;
      recordEvent({ about: referenceTo(pods, pod), type: "Warning", reason: "FailedResourceClaimCreation", message });
      retryAfterMs = refusedRetryMs;
    }
    if (made.length > 0) await this.#note(pod, made, signal);
    return { retryAfterMs };
  }

  /** Returns the name of the claim, or the reason why it could not be created. */
  async #make(
    pod: Pod,
    { entry, templateName }: { entry: PodResourceClaimEntry; templateName: string },
    signal: AbortSignal,
  ): Promise<{ name: string } | { because: string }> {
    const { client, informers } = this.#context;
    const { namespace = "" } = pod.metadata;
    const template = informers.of(resourceClaimTemplates).find({ namespace, name: templateName });
    if (template === undefined) {
      const because = `resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`;
      return { because };
    }
    for (let attempt = 0; attempt < namesMax; attempt++) {
      const claim = claimFor(pod, entry, { template, attempt });
      const name = claim.metadata.name ?? "";
      try {
        await client.create(resourceClaims, claim, { signal });
        return { name };
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) {
          const present = await client.find(resourceClaims, { namespace, name }, { signal });
          if (present !== undefined && isClaimOfEntry(present, pod, entry)) return { name };
          continue;
        }
        if (isApiError(error, "Forbidden", "Invalid")) return { because: `create ResourceClaim : ${error.message}` };
        throw error;
      }
    }
    return { because: `create ResourceClaim : other claims have the ${namesMax} names that were tried` };
  }

  /**
   * Records the claims in the pod's status. The UID protects another pod of the same name from the
   * record.
   */
  async #note(pod: Pod, made: readonly { name: string; resourceClaimName: string }[], signal: AbortSignal) {
    const { namespace = "", name = "", uid } = pod.metadata;
    const body = { metadata: { uid }, status: { resourceClaimStatuses: made } };
    const patch = { type: "strategic" as const, body };
    await this.#context.client.patch(pods, { namespace, name }, patch, { subresource: "status", signal });
  }

  /**
   * The scheduler reserves claims for its pods before it binds them; pods that it did not bind
   * already have a node.
   */
  async #reserve(pod: Pod, signal: AbortSignal): Promise<ReconcileResult> {
    const { client, informers } = this.#context;
    if (!pod.spec?.nodeName) return done;
    for (const entry of entriesOf(pod)) {
      const known = claimOfEntry(pod, entry);
      if (known.is !== "claim") continue;
      const key = { namespace: pod.metadata.namespace ?? "", name: known.name };
      const claim = informers.of(resourceClaims).find(key);
      if (claim === undefined || (known.isGenerated && !isDeviceClaimOf(claim, pod))) continue;
      const next = withReservation(claim, pod);
      if (next !== undefined) await client.update(resourceClaims, next, { subresource: "status", signal });
    }
    return done;
  }
}

function isClaimOfEntry(claim: ResourceClaim, pod: Pod, entry: PodResourceClaimEntry): boolean {
  return isDeviceClaimOf(claim, pod) && claim.metadata.annotations?.[podClaimNameAnnotation] === entry.name;
}
