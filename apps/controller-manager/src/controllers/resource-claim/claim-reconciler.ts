import { controllerOf, parseKey, pods, type ResourceClaim, resourceClaims } from "@kintsugi/api";
import { done, type ReconcileResult, settled } from "@kintsugi/controller";
import { type ClaimConsumer, deviceClaimFinalizer, isDoneWithClaims, isPodConsumer } from "@kintsugi/rules";
import type { ControllerContext } from "../../context.ts";
import { planDeviceClaim, withoutFinalizer } from "./plan-claim.ts";

/**
 * Deallocates devices of pods that no longer exist, and deletes claims that pods no longer need.
 */
export class ClaimReconciler {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    return settled(this.#reconcile(key, signal));
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { informers } = this.#context;
    const claim = informers.of(resourceClaims).find(parseKey(key));
    if (claim === undefined) return done;
    const { namespace = "" } = claim.metadata;
    const gone = await this.#goneAmong(claim, signal);
    const owner = informers.of(pods).find({ namespace, name: controllerOf(claim)?.name ?? "" });
    const step = planDeviceClaim(claim, { uses: ({ uid }) => !gone.has(uid), owner });
    if (step.is === "release") await this.#release({ ...claim, status: step.status }, signal);
    else if (step.is === "remove finalizer") await this.#removeFinalizer(claim, signal);
    else if (step.is === "delete") await this.#delete(claim, signal);
    return done;
  }

  /** Returns the UIDs of consumers whose pods no longer exist or have ended. */
  async #goneAmong(claim: ResourceClaim, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const gone = new Set<string>();
    for (const consumer of claim.status?.reservedFor ?? []) {
      if (isPodConsumer(consumer) && (await this.#isGone(claim, consumer, signal))) gone.add(consumer.uid);
    }
    return gone;
  }

  /**
   * A pod that is not in the cache may be new, and the scheduler may be binding it, so the API
   * decides.
   */
  async #isGone(claim: ResourceClaim, { name, uid }: ClaimConsumer, signal: AbortSignal): Promise<boolean> {
    const { client, informers } = this.#context;
    const key = { namespace: claim.metadata.namespace ?? "", name };
    const known = informers.of(pods).find(key);
    if (known?.metadata.uid === uid) return isDoneWithClaims(known);
    const pod = await client.find(pods, key, { signal });
    return pod?.metadata.uid !== uid || isDoneWithClaims(pod);
  }

  /**
   * Both writes name the claim's revision, so an allocation made in the meantime is never removed.
   */
  async #release(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    const written = await this.#context.client.update(resourceClaims, claim, { subresource: "status", signal });
    if (written.status?.allocation !== undefined) return;
    if (written.metadata.finalizers?.includes(deviceClaimFinalizer)) await this.#removeFinalizer(written, signal);
  }

  async #removeFinalizer(claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    await this.#context.client.update(resourceClaims, withoutFinalizer(claim), { signal });
  }

  async #delete({ metadata }: ResourceClaim, signal: AbortSignal): Promise<void> {
    const { namespace = "", name = "", uid } = metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await this.#context.client.delete(resourceClaims, { namespace, name }, { ...preconditions, signal });
  }
}
