import { ApiError, formatKey, isApiError, keyOf, type ResourceClaim, resourceClaims, sameJson } from "@kintsugi/api";
import { type Client, ConnectionError } from "@kintsugi/client";
import { type Clock, jittered, type Random } from "@kintsugi/clock";
import { deviceClaimFinalizer, isReservedForPod } from "@kintsugi/rules";
import { type ClaimReservation, type ClusterState, type PodInfo } from "@kintsugi/scheduling";

// A claim on its way to a pod:
//
//   as decided ──finalizer (PUT)──► protected ──status: allocation, reservedFor (PUT)──► reserved
//
// Both writes name the revision that was seen. A claim that changed meanwhile is read, and the
// allocation is written only if it has none. An answer that is lost leaves open whether the claim
// has the devices: until a read or a second write shows it they are given to no other claim.

/** A write that takes longer is looked into. */
const writeTimeoutMs = 10_000;
/** Upstream's retry.DefaultRetry: a claim is written by few, so it seldom changes more often. */
const conflictsMax = 5;
/** The wait between two tries to find out the outcome of a write. */
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
 * Writes the allocations of a pod's claims and reserves them for it (upstream's PreBind of
 * DynamicResources). Returns the reason when one of them cannot be had.
 */
export async function prepareDevices(
  deps: PrepareDevicesDeps,
  { pod, reservations, signal }: DevicePreparation,
): Promise<string | undefined> {
  for (const reservation of reservations) {
    if (!deps.state.isAssumed(pod.uid)) return "the pod has gone";
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
      if (!state.isAssumed(pod.uid) && reservation.allocation === undefined) return "the pod has gone";
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

/** Reports whether the claim is as it was to become: an earlier write was done after all. */
function isOurs(claim: ResourceClaim, { pod, reservation }: ClaimPreparation): boolean {
  if (!isReservedForPod(claim, pod.pod)) return false;
  return reservation.allocation === undefined || sameJson(claim.status?.allocation, reservation.allocation);
}

/** The texts are upstream's. */
function whyRefused(claim: ResourceClaim, preparation: ClaimPreparation): string | undefined {
  const key = formatKey(keyOf(claim));
  if (isOurs(claim, preparation)) return undefined;
  if (claim.metadata.deletionTimestamp !== undefined) return `claim ${key} got deleted in the meantime`;
  const hasAllocation = claim.status?.allocation !== undefined;
  const isToAllocate = preparation.reservation.allocation !== undefined;
  if (isToAllocate && hasAllocation) return `claim ${key} got allocated elsewhere in the meantime`;
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
 * Takes the pod off the claims that were reserved for it, as far as that works: a claim that keeps
 * it has its devices for its next attempt, or loses them when they are in its way.
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

/** Takes devices from a claim that no pod uses, unless the claim has changed. */
export async function deallocateClaim(client: Pick<Client, "update">, claim: ResourceClaim): Promise<void> {
  const { allocation: _, reservedFor: __, ...status } = claim.status ?? {};
  const options = { subresource: "status", timeoutMs: writeTimeoutMs };
  await client.update(resourceClaims, { ...claim, status }, options);
}
