import { isApiError, type Container, type Logger, type ResourceClaim, resourceClaims } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { ClaimOutcome, ClaimReference, PreparedClaim } from "@kintsugi/dra";
import type { BoundPod } from "../../model/bound-pod.ts";
import { ContainerConfigError } from "../environment/config-error.ts";
import type { ClaimRecord, DeviceClaimRecords } from "./claim-records.ts";
import type { DeviceDrivers } from "./device-drivers.ts";
import { checkClaim, claimedByPod, claimsOfContainer, driversOf, type PodClaim, usesDevices } from "./pod-claims.ts";

export interface DeviceClaimsDeps {
  readonly client: Pick<Client, "get">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly drivers: Pick<DeviceDrivers, "get" | "onRegistered">;
  readonly records: DeviceClaimRecords;
  /** Reports whether a pod no longer exists in the API or the runtime. */
  readonly isGone: (podUid: string) => boolean;
  readonly wakeUps: { wake(podUid: string): void };
}

/** Upstream's reconcilePeriod. */
const sweepIntervalMs = 60_000;

/** Devices cannot be prepared at the moment; the message is for the pod's author. */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
}

// The life of a claim on the node, as in upstream's pkg/kubelet/cm/dra:
//
//   checked ─► recorded with the pod ─► NodePrepareResources of each driver ─► prepared
//   the last pod has ended ─► NodeUnprepareResources of each driver ─► forgotten

/**
 * Calls drivers to prepare the devices of pods before their containers start, and to unprepare
 * them.
 */
export class DeviceClaims {
  readonly #deps: DeviceClaimsDeps;
  /** Work on one claim is serialized, because several pods may use it. */
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Pods whose devices could not be prepared. They are woken when a driver registers. */
  readonly #waiting = new Set<string>();

  constructor(deps: DeviceClaimsDeps) {
    this.#deps = deps;
    deps.drivers.onRegistered(() => {
      for (const uid of this.#waiting) deps.wakeUps.wake(uid);
    });
  }

  /** Unprepares the claims of pods that were removed while the kubelet or a driver was down. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, drivers } = this.#deps;
    drivers.onRegistered(() => void this.#sweep(signal));
    while (!signal.aborted) {
      await this.#sweep(signal);
      await clock.sleep(sweepIntervalMs, signal, "routine").catch(() => {});
    }
  }

  /** @throws DeviceError in upstream's words when a claim cannot be prepared at the moment. */
  async prepare(pod: BoundPod, signal: AbortSignal): Promise<void> {
    if (!usesDevices(pod)) return;
    const { uid } = pod.metadata;
    try {
      // Nothing is recorded before all claims are checked, so that a pod that fails here can be
      // deleted without a driver.
      const claims = await Promise.all(claimedByPod(pod).map((claim) => this.#check(pod, claim, signal)));
      for (const claim of claims) await this.#inTurn(claim.metadata, () => this.#prepare(pod, claim, signal));
      this.#waiting.delete(uid);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#waiting.add(uid);
      throw new DeviceError(`prepare dynamic resources: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Reports whether drivers may have prepared devices for the pod. */
  isUsedBy(podUid: string): boolean {
    return this.#deps.records.ofPod(podUid).length > 0;
  }

  /** Reports whether all devices of the pod are prepared, according to this node's own record. */
  isPrepared(pod: BoundPod): boolean {
    if (!usesDevices(pod)) return true;
    const { namespace, uid } = pod.metadata;
    try {
      return claimedByPod(pod).every(({ name }) => {
        const record = this.#deps.records.find({ namespace, name });
        return record?.isPrepared === true && record.pods.includes(uid);
      });
    } catch {
      return false;
    }
  }

  /**
   * Lists the CDI devices of a container.
   * @throws ContainerConfigError when one of its claims is not prepared.
   */
  cdiDevicesOf(pod: BoundPod, container: Container): readonly string[] {
    const ids = claimsOfContainer(pod, container).flatMap(({ name, requests }) => {
      const record = this.#deps.records.find({ namespace: pod.metadata.namespace, name });
      if (record?.isPrepared !== true || !record.pods.includes(pod.metadata.uid))
        throw new ContainerConfigError(`unable to get information for ResourceClaim ${name}`);
      return requests.flatMap((request) => cdiDevicesIn(record, request));
    });
    return [...new Set(ids)];
  }

  /**
   * Called when the pod runs no containers. Its claims that no other pod of the node uses are
   * unprepared.
   * @throws Error in upstream's words when a driver cannot unprepare the claims at the moment.
   */
  async unprepare(podUid: string, signal: AbortSignal): Promise<void> {
    this.#waiting.delete(podUid);
    for (const known of this.#deps.records.ofPod(podUid)) {
      await this.#inTurn(known, async () => {
        const record = this.#deps.records.find(known);
        if (record !== undefined) await this.#unprepare(record, podUid, signal);
      }).catch((error: unknown) => {
        if (signal.aborted) throw error;
        throw new Error(`unprepare dynamic resources: ${(error as Error).message}`, { cause: error });
      });
    }
  }

  async #check(pod: BoundPod, podClaim: PodClaim, signal: AbortSignal): Promise<ResourceClaim> {
    const { client, drivers } = this.#deps;
    const key = { namespace: pod.metadata.namespace, name: podClaim.name };
    const claim = await client.get(resourceClaims, key, { signal }).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      throw new Error(`fetch ResourceClaim ${podClaim.name}: ${error.message}`, { cause: error });
    });
    checkClaim(claim, pod, podClaim);
    for (const driver of driversOf(claim)) drivers.get(driver);
    return claim;
  }

  async #prepare(pod: BoundPod, claim: ResourceClaim, signal: AbortSignal): Promise<void> {
    const { records } = this.#deps;
    const reference = referenceOf(claim);
    const known = records.find(reference);
    if (known !== undefined && known.uid !== reference.uid)
      throw new Error(
        `old ResourceClaim with same name ${known.name} and different UID ${known.uid} still exists (previous pod force-deleted?!)`,
      );
    const none = Object.fromEntries(driversOf(claim).map((driver) => [driver, []]));
    const before: ClaimRecord = known ?? { ...reference, pods: [], drivers: none, isPrepared: false };
    const { uid } = pod.metadata;
    const record = before.pods.includes(uid) ? before : { ...before, pods: [...before.pods, uid] };
    if (record !== known) await records.put(record);
    if (record.isPrepared) return;
    const drivers: ClaimRecord["drivers"] = {};
    for (const driver of Object.keys(record.drivers)) {
      const { devices } = await this.#prepareBy(driver, reference, signal);
      drivers[driver] = devices.map((device) => ({
        ...device,
        requestNames: [...device.requestNames],
        cdiDeviceIds: [...device.cdiDeviceIds],
      }));
    }
    await records.put({ ...record, drivers, isPrepared: true });
  }

  async #prepareBy(driver: string, claim: ClaimReference, signal: AbortSignal): Promise<PreparedClaim> {
    const call = "NodePrepareResources";
    const client = this.#deps.drivers.get(driver);
    const answer = await client.nodePrepareResources([claim], signal).catch((error: unknown) => failed(call, error));
    return outcomeOf(call, answer, claim);
  }

  async #unprepare(record: ClaimRecord, podUid: string, signal: AbortSignal): Promise<void> {
    const { drivers, records } = this.#deps;
    const others = record.pods.filter((uid) => uid !== podUid);
    if (others.length > 0) return records.put({ ...record, pods: others });
    const { namespace, name, uid } = record;
    const claim = { namespace, name, uid };
    const call = "NodeUnprepareResources";
    for (const driver of Object.keys(record.drivers)) {
      const client = drivers.get(driver);
      const answer = await client
        .nodeUnprepareResources([claim], signal)
        .catch((error: unknown) => failed(call, error));
      outcomeOf(call, answer, claim);
    }
    await records.remove(record);
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { records, isGone, log } = this.#deps;
    const gone = new Set(records.list().flatMap(({ pods }) => pods.filter(isGone)));
    for (const podUid of gone) {
      await this.unprepare(podUid, signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn("cannot unprepare the devices of a removed pod", { podUid, error });
      });
    }
  }

  async #inTurn<T>(
    { namespace = "", name = "" }: { namespace?: string | undefined; name?: string | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    const key = `${namespace}/${name}`;
    const turn = (this.#turns.get(key) ?? Promise.resolve()).catch(() => {}).then(work);
    this.#turns.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key);
    }
  }
}

function referenceOf({ metadata }: ResourceClaim): ClaimReference {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { namespace, name, uid };
}

function cdiDevicesIn({ drivers }: ClaimRecord, request: string): string[] {
  return Object.values(drivers)
    .flat()
    .filter(({ requestNames }) => request === "" || requestNames.length === 0 || requestNames.includes(request))
    .flatMap(({ cdiDeviceIds }) => cdiDeviceIds);
}

/** @throws Error in upstream's words unless the driver has processed the claim. */
function outcomeOf<Outcome extends ClaimOutcome>(
  call: string,
  answer: ReadonlyMap<string, Outcome>,
  { uid, name }: ClaimReference,
): Outcome {
  const unknown = [...answer.keys()].find((key) => key !== uid);
  if (unknown !== undefined) throw new Error(`${call} returned result for unknown claim UID ${unknown}`);
  const outcome = answer.get(uid);
  if (outcome === undefined) throw new Error(`${call} skipped 1 ResourceClaims`);
  if (outcome.error !== "") throw new Error(`${call} failed for ResourceClaim ${name}: ${outcome.error}`);
  return outcome;
}

function failed(call: string, error: unknown): never {
  throw new Error(`${call}: ${(error as Error).message}`, { cause: error });
}
