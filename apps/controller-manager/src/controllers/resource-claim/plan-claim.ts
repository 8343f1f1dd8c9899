import { controllerOf, type Pod, type ResourceClaim } from "@kintsugi/api";
import { type ClaimConsumer, deviceClaimFinalizer, isDoneWithClaims, isPodConsumer } from "@kintsugi/rules";

/** The next step for a claim. */
export type ClaimStep =
  | { readonly is: "nothing" }
  /** These consumers no longer exist; the claim is deallocated with the last consumer. */
  | { readonly is: "release"; readonly status: NonNullable<ResourceClaim["status"]> }
  /** The claim is being deleted and no longer has devices. */
  | { readonly is: "remove finalizer" }
  /** The pod of the claim will no longer run. */
  | { readonly is: "delete" };

/**
 * Follows upstream's syncClaim. A claim that was never used retains an allocation without
 * consumers, because the scheduler may be between its two writes.
 * @param uses whether the consumer is a pod that exists and may run
 * @param owner the pod with the name of the claim's owner, as far as it is known
 */
export function planDeviceClaim(
  claim: ResourceClaim,
  { uses, owner }: { uses: (consumer: ClaimConsumer) => boolean; owner: Pod | undefined },
): ClaimStep {
  const { metadata, status = {} } = claim;
  const consumers = status.reservedFor ?? [];
  const left = consumers.filter((consumer) => !isPodConsumer(consumer) || uses(consumer));
  const isProtected = metadata.finalizers?.includes(deviceClaimFinalizer) ?? false;
  const isDeleted = metadata.deletionTimestamp !== undefined;
  if (left.length < consumers.length) {
    const { allocation, ...others } = status;
    const keeps = allocation !== undefined && (left.length > 0 || !isProtected);
    return { is: "release", status: { ...others, ...(keeps ? { allocation } : {}), reservedFor: left } };
  }
  if (left.length > 0) return { is: "nothing" };
  if (isProtected && isDeleted) {
    const { allocation, ...others } = status;
    return allocation === undefined ? { is: "remove finalizer" } : { is: "release", status: others };
  }
  return !isDeleted && ownerIsDone(claim, owner) ? { is: "delete" } : { is: "nothing" };
}

/** A pod that is not in the cache may be new: the garbage collector deletes its claim. */
function ownerIsDone(claim: ResourceClaim, owner: Pod | undefined): boolean {
  const reference = controllerOf(claim);
  if (owner === undefined || reference?.kind !== "Pod" || reference.apiVersion !== "v1") return false;
  return owner.metadata.uid !== reference.uid || isDoneWithClaims(owner);
}

/** Returns the claim without the finalizer that protects its devices. */
export function withoutFinalizer(claim: ResourceClaim): ResourceClaim {
  const finalizers = (claim.metadata.finalizers ?? []).filter((each) => each !== deviceClaimFinalizer);
  return { ...claim, metadata: { ...claim.metadata, finalizers } };
}
