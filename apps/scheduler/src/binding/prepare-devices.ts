import { ApiError, formatKey, isApiError, keyOf, type ResourceClaim, resourceClaims, sameJson } from "@kintsugi/api";
import { type Client, ConnectionError } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";
import { deviceClaimFinalizer, isReservedForPod } from "@kintsugi/rules";
import { type ClaimReservation, type ClusterState, type PodInfo } from "@kintsugi/scheduling";

// The steps of a claim for a pod:
//
//   as decided ──finalizer (PUT)──► protected ──status: allocation, reservedFor (PUT)──► reserved
//
// Both writes name the observed revision. A claim that changed in the meantime is read, and the
// allocation is written only if the claim does not have an allocation. If an answer is lost, it is
// unknown whether the claim has the devices, so other claims do not get them until a read or a
// second write shows it.

/** Time limit of a write, after which its outcome is investigated. */
const writeTimeoutMs = 10_000;
/** Upstream's retry.DefaultRetry. A claim has few writers, so it seldom changes more often. */
const conflictsMax = 5;
/** The wait between two tries to determine the outcome of a write. */
const settleRetryMs = 1_000;

export interface PrepareDevicesDeps {
  client: Pick<Client, "find" | "update" | "patch">;
  clock: Clock;
  random: Random;
  state: Pick<ClusterState, "devices" | "isAssumed">;
}

export interface DevicePreparation {
  pod: PodInfo;
  reservations: readonly ClaimReservation[];
  signal: AbortSignal;
}

/**
 * Writes the allocations of a pod's claims and reserves the claims for the pod (upstream's PreBind
 * of DynamicResources). Returns the reason when a claim cannot be allocated.
 */
export async function prepareDevices(
  deps: PrepareDevicesDeps,
  { pod, reservations, signal }: DevicePreparation,
): Promise<string | undefined> {
  for (const reservation of reservations) {
    if (!deps.state.isAssumed(pod.uid)) return "the pod no longer exists";
    const because = await prepareClaim(deps, { pod, reservation, signal });
    if (because !== undefined) return because;
  }
  return undefined;
}

interface ClaimPreparation {
  readonly pod: PodInfo;
  readonly reservation: ClaimReservation;
  readonly signal: AbortSignal;
}

async function prepareClaim(deps: PrepareDevicesDeps, preparation: ClaimPreparation): Promise<string | undefined> {
  const { clock, random, state } = deps;
  const { pod, reservation, signal } = preparation;
  let claim: ResourceClaim | undefined = reservation.claim;
  let mayBeWritten = false;
  for (let conflicts = 0; ;) {
    try {
      claim ??= await currentClaim(deps, preparation);
      const refused = whyRefused(claim, preparation);
      if (refused !== undefined) return refused;
      const written = isOurs(claim, preparation) ? claim : await writeClaim(deps, claim, preparation);
      state.devices.written(written);
      return undefined;
    } catch (error) {
      claim = undefined;
      if (signal.aborted) return "the scheduler stops";
      const isConflict = isApiError(error, "Conflict");
      mayBeWritten ||= isUnclear(error);
      if (isApiError(error, "NotFound")) return `resourceclaim "${reservation.claim.metadata.name}" not found`;
      if (isConflict && ++conflicts <= conflictsMax) continue;
      const text = `claim ${formatKey(keyOf(reservation.claim))}: ${(error as Error).message}`;
      if (!mayBeWritten) return reservation.allocation === undefined ? text : `allocate ${text}`;
      if (!state.isAssumed(pod.uid) && reservation.allocation === undefined) return "the pod no longer exists";
      await clock.sleep(jittered(random, settleRetryMs, 1), signal).catch(() => {});
    }
  }
}

async function currentClaim(
  { client }: PrepareDevicesDeps,
  { reservation, signal }: ClaimPreparation,
): Promise<ResourceClaim> {
  const { metadata } = reservation.claim;
  const options = { signal, timeoutMs: writeTimeoutMs };
  const claim = await client.find(resourceClaims, keyOf(reservation.claim), options);
  if (claim === undefined || claim.metadata.uid !== metadata.uid) {
    throw new ApiError("NotFound", `resourceclaim "${metadata.name}" not found`);
  }
  return claim;
}

/**
 * Reports whether the claim already is as desired, because an earlier write succeeded after all.
 */
function isOurs(claim: ResourceClaim, { pod, reservation }: ClaimPreparation): boolean {
  if (!isReservedForPod(claim, pod.pod)) return false;
  return reservation.allocation === undefined || sameJson(claim.status?.allocation, reservation.allocation);
}

/** The messages are upstream's. */
function whyRefused(claim: ResourceClaim, preparation: ClaimPreparation): string | undefined {
  const key = formatKey(keyOf(claim));
  if (isOurs(claim, preparation)) return undefined;
  if (claim.metadata.deletionTimestamp !== undefined) return `claim ${key} got deleted in the meantime`;
  const hasAllocation = claim.status?.allocation !== undefined;
  const isToAllocate = preparation.reservation.allocation !== undefined;
  if (isToAllocate && hasAllocation) return `claim ${key} was allocated to another node in the meantime`;
  if (!isToAllocate && !hasAllocation) return `claim ${key} got deallocated in the meantime`;
  return undefined;
}

async function writeClaim(
  { client }: PrepareDevicesDeps,
  seen: ResourceClaim,
  { pod, reservation, signal }: ClaimPreparation,
): Promise<ResourceClaim> {
  const { allocation } = reservation;
  const options = { signal, timeoutMs: writeTimeoutMs };
  let claim = seen;
  const { finalizers = [] } = claim.metadata;
  if (allocation !== undefined && !finalizers.includes(deviceClaimFinalizer)) {
    const metadata = { ...claim.metadata, finalizers: [...finalizers, deviceClaimFinalizer] };
    claim = await client.update(resourceClaims, { ...claim, metadata }, options);
  }
  const consumer = { resource: "pods", name: pod.pod.metadata.name ?? "", uid: pod.uid };
  const status = {
    ...claim.status,
    ...(allocation === undefined ? {} : { allocation }),
    reservedFor: [...(claim.status?.reservedFor ?? []), consumer],
  };
  return client.update(resourceClaims, { ...claim, status }, { ...options, subresource: "status" });
}

/** A write whose answer is lost, or that fails in the server, may have been done. */
function isUnclear(error: unknown): boolean {
  if (isApiError(error)) return error.code >= 500;
  return error instanceof ConnectionError && error.outcomeUnknown;
}

/**
 * Removes the pod from the claims that were reserved for it, as far as possible. A claim that keeps
 * the pod has its devices for the pod's next attempt, or loses them when they prevent that attempt.
 */
export async function unreserveDevices(
  { client }: PrepareDevicesDeps,
  { pod, reservations, signal }: DevicePreparation,
): Promise<void> {
  for (const { claim } of reservations) {
    const body = {
      metadata: { uid: claim.metadata.uid },
      status: { reservedFor: [{ $patch: "delete", uid: pod.uid }] },
    };
    const options = { signal, subresource: "status", timeoutMs: writeTimeoutMs };
    await client.patch(resourceClaims, keyOf(claim), { type: "strategic", body }, options).catch(() => {});
  }
}

/**
 * Removes devices from a claim that no pod uses, unless the claim was changed by another client.
 */
export async function deallocateClaim(client: Pick<Client, "update">, claim: ResourceClaim): Promise<void> {
  const { allocation: _, reservedFor: __, ...status } = claim.status ?? {};
  const options = { subresource: "status", timeoutMs: writeTimeoutMs };
  await client.update(resourceClaims, { ...claim, status }, options);
}
