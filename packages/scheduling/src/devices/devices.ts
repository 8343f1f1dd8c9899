import {
  type AllocationResult,
  type DeviceClass,
  formatKey,
  keyOf,
  type ResourceClaim,
  type ResourceSlice,
} from "@kintsugi/api";
import { AllocatedDevices } from "./allocated-devices.ts";
import type { DevicesInUse } from "./allocator/world.ts";
import type { DeviceNode, ReachablePool } from "./allocator/pool.ts";
import { type CompileSelector, DeviceSelectors } from "./allocator/selectors.ts";
import { PoolIndex } from "./pool-index.ts";

/** Claims, classes and devices in the view of a decision. */
export interface DevicesView {
  /** False if the API server does not serve the kinds, or the program does not follow them. */
  readonly isFollowed: boolean;
  readonly inUse: DevicesInUse;
  readonly selectors: DeviceSelectors;
  findClaim(namespace: string, name: string): ResourceClaim | undefined;
  findClass(name: string): DeviceClass | undefined;
  /** Reports whether an allocation was chosen for the claim, and is not written yet. */
  isBeingAllocated(claimUid: string): boolean;
  poolsFor(node: DeviceNode): readonly ReachablePool[];
}

/** A claim that is to be reserved for a pod before the pod is bound. */
export interface ClaimReservation {
  /** The claim as the decision saw it. */
  readonly claim: ResourceClaim;
  /** The allocation to write; undefined where the claim is already allocated. */
  readonly allocation?: AllocationResult | undefined;
}

// The allocation of a claim, by the claim's UID:
//
//   (none) ──reserve──► being allocated ──written──► assumed, until the informer shows it
//     ▲                      │ release                      │ put (as new, or newer)
//     └──────────────────────┘◄──────── put without ────── known
//
// Devices count as in use in all states except (none), so that other claims do not get these
// devices between a decision and its arrival through the informer. A claim that is being allocated
// looks unallocated to other pods, which wait until the allocation is written (upstream's
// inFlightAllocations).

/** The scheduler's view of claims, classes and devices, with its own later allocations. */
export class Devices implements DevicesView {
  readonly selectors: DeviceSelectors;
  readonly isFollowed: boolean;
  readonly #claims = new Map<string, ResourceClaim>();
  readonly #classes = new Map<string, DeviceClass>();
  readonly #pools = new PoolIndex();
  readonly #beingAllocated = new Map<string, AllocationResult>();
  /** The effective allocations, by claim. */
  readonly #counted = new Map<string, AllocationResult>();
  readonly #inUse = new AllocatedDevices();

  /** @param compile compiles selectors; if absent, devices are not followed. */
  constructor(compile?: CompileSelector) {
    this.isFollowed = compile !== undefined;
    this.selectors = new DeviceSelectors(compile ?? (() => ({ fault: "selectors are not compiled here" })));
  }

  get inUse(): DevicesInUse {
    return this.#inUse;
  }

  findClaim(namespace: string, name: string): ResourceClaim | undefined {
    return this.#claims.get(formatKey({ namespace, name }));
  }

  findClass(name: string): DeviceClass | undefined {
    return this.#classes.get(name);
  }

  isBeingAllocated(claimUid: string): boolean {
    return this.#beingAllocated.has(claimUid);
  }

  poolsFor(node: DeviceNode): readonly ReachablePool[] {
    return this.#pools.reachableFrom(node);
  }

  /**
   * A claim as the informer shows it. A claim that is older than the answer to this scheduler's own
   * write is ignored, because the newer version will follow.
   */
  putClaim(claim: ResourceClaim): void {
    const key = formatKey(keyOf(claim));
    const known = this.#claims.get(key);
    const isSame = known?.metadata.uid === claim.metadata.uid;
    if (known !== undefined && isSame && isOlder(claim, known)) return;
    if (known !== undefined && !isSame) this.removeClaim(known);
    this.#claims.set(key, claim);
    this.#recount(claim.metadata.uid ?? "", claim);
  }

  removeClaim(claim: ResourceClaim): void {
    const key = formatKey(keyOf(claim));
    const uid = claim.metadata.uid ?? "";
    if (this.#claims.get(key)?.metadata.uid === claim.metadata.uid) this.#claims.delete(key);
    this.#recount(uid, undefined);
  }

  putClass(deviceClass: DeviceClass): void {
    this.#classes.set(deviceClass.metadata.name ?? "", deviceClass);
  }

  removeClass(deviceClass: DeviceClass): void {
    this.#classes.delete(deviceClass.metadata.name ?? "");
  }

  putSlice(slice: ResourceSlice): void {
    this.#pools.put(slice);
  }

  removeSlice(slice: ResourceSlice): void {
    this.#pools.remove(slice);
  }

  /** Other claims do not get the devices of the reservations from now on. */
  reserve(reservations: readonly ClaimReservation[]): void {
    for (const { claim, allocation } of reservations) {
      const { uid = "" } = claim.metadata;
      if (allocation === undefined) continue;
      this.#beingAllocated.set(uid, allocation);
      this.#recount(uid, claim);
    }
  }

  /** The devices of reservations that were not written are free again. */
  release(reservations: readonly ClaimReservation[]): void {
    for (const { claim, allocation } of reservations) {
      const { uid = "" } = claim.metadata;
      if (allocation === undefined || this.#beingAllocated.get(uid) !== allocation) continue;
      this.#beingAllocated.delete(uid);
      this.#recount(uid, this.#current(claim));
    }
  }

  /** The API has answered the write of an allocation, or of a reservation, with this claim. */
  written(claim: ResourceClaim): void {
    const { uid = "" } = claim.metadata;
    this.#beingAllocated.delete(uid);
    // A claim that is deleted in the meantime does not hold devices, however late the answer
    // arrives.
    if (this.#current(claim) !== undefined) this.putClaim(claim);
    this.#recount(uid, this.#current(claim));
  }

  /** The claim as it is known; undefined if it no longer exists, or another claim has its name. */
  #current(claim: ResourceClaim): ResourceClaim | undefined {
    const known = this.#claims.get(formatKey(keyOf(claim)));
    return known?.metadata.uid === claim.metadata.uid ? known : undefined;
  }

  #recount(uid: string, claim: ResourceClaim | undefined): void {
    const counted = this.#counted.get(uid);
    const counts = claim?.status?.allocation ?? this.#beingAllocated.get(uid);
    if (counted === counts) return;
    if (counted !== undefined) this.#inUse.count(counted, -1);
    if (counts === undefined) this.#counted.delete(uid);
    else {
      this.#inUse.count(counts, 1);
      this.#counted.set(uid, counts);
    }
  }
}

/** Revisions are numbers: KEP-5504 lets clients compare them. */
function isOlder(claim: ResourceClaim, than: ResourceClaim): boolean {
  const [a = "", b = ""] = [claim.metadata.resourceVersion, than.metadata.resourceVersion];
  const areNumbers = /^\d+$/.test(a) && /^\d+$/.test(b);
  return areNumbers && BigInt(a) < BigInt(b);
}
