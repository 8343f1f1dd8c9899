import {
  type Logger,
  memoryBytes,
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { isRpcError } from "@kintsugi/grpc";
import { type GrowthState, growthStateOf, withGrowth, withGrownSize } from "@kintsugi/rules";
import type { EventSink } from "../../../model/pod-events.ts";
import type { NodeContext } from "../../../model/node-context.ts";
import { capabilityOf, recordOf, secretFor } from "./request-fields.ts";
import { stagingPath } from "./csi-paths.ts";
import type { RegisteredDriver } from "./driver-registry.ts";

export interface VolumeGrowthDeps {
  readonly client: Pick<Client, "find" | "update">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventSink;
  readonly node: NodeContext;
  /** Lists the volumes that are currently published to pods of this node. */
  readonly published: () => Promise<readonly PublishedVolume[]>;
}

/** A volume of a pod on this node. */
export interface PublishedVolume {
  readonly driver: RegisteredDriver;
  readonly volume: PersistentVolume;
  readonly target: string;
  /** The pod, for its events. */
  readonly pod: { readonly namespace: string; readonly name: string; readonly uid: string };
}

/**
 * Interval at which claims of mounted volumes are read. Upstream's kubelet detects a growth at a
 * pod's next sync, a minute to a minute and a half later.
 */
const lookIntervalMs = 30_000;

const waitingMessage = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";

/** The driver will reject the same size again. */
const infeasible = ["INVALID_ARGUMENT", "OUT_OF_RANGE", "NOT_FOUND"] as const;

/**
 * Grows the file systems of mounted volumes whose claims wait for the growth (node_expander.go).
 */
export class VolumeGrowth {
  readonly #deps: VolumeGrowthDeps;
  /** Claims, by UID, that their driver grows only while no pod has them mounted. */
  readonly #waiting = new Set<string>();
  /** Claims, by UID, that are being inspected. */
  readonly #growing = new Set<string>();

  constructor(deps: VolumeGrowthDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, published } = this.#deps;
    while (!signal.aborted) {
      await clock.sleep(lookIntervalMs, signal, "routine").catch(() => {});
      if (signal.aborted) return;
      const volumes = await published().catch((error: unknown) => {
        log.warn("published volumes not listed", { error });
        return [];
      });
      for (const each of volumes) await this.settle(each, { isFresh: false });
    }
  }

  /**
   * Grows the volume's file system where its claim waits for that. It never fails: the claim's
   * conditions and events show the outcome, and the next inspection retries.
   * @param isFresh whether the volume has just been mounted, so that a driver that requires this
   * can grow it.
   */
  async settle(published: PublishedVolume, { isFresh }: { isFresh: boolean }): Promise<void> {
    const { log } = this.#deps;
    try {
      const { namespace = "", name = "", uid = "" } = published.volume.spec?.claimRef ?? {};
      if (isFresh) this.#waiting.delete(uid);
      if (this.#waiting.has(uid) || this.#growing.has(uid)) return;
      this.#growing.add(uid);
      await this.#settleOne(published, { namespace, name, uid }).finally(() => this.#growing.delete(uid));
    } catch (error) {
      log.warn("volume did not grow", { volume: published.volume.metadata.name ?? "", error });
    }
  }

  async #settleOne(
    published: PublishedVolume,
    { namespace, name, uid }: Readonly<Record<"namespace" | "name" | "uid", string>>,
  ): Promise<void> {
    const claim = await this.#deps.client.find(persistentVolumeClaims, { namespace, name });
    const state = claim && growthStateOf(claim);
    if (claim?.metadata.uid !== uid || (state !== "NodeResizePending" && state !== "NodeResizeInProgress")) return;
    await this.#grow(published, claim);
  }

  async #grow(published: PublishedVolume, claim: PersistentVolumeClaim): Promise<void> {
    const size = claim.status?.allocatedResources?.["storage"] ?? "";
    const marked = await this.#put(claim, "NodeResizeInProgress");
    try {
      await this.#callDriver(published, size);
    } catch (error) {
      return this.#reportFailure(published, marked, error as Error);
    }
    const status = withGrownSize(marked, size);
    await this.#deps.client.update(persistentVolumeClaims, { ...marked, status }, { subresource: "status" });
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${published.volume.metadata.name}"`;
    for (const about of subjectsOf(published, claim))
      this.#deps.events.record(about, { type: "Normal", reason: "FileSystemResizeSuccessful", message });
  }

  async #callDriver({ driver, volume, target }: PublishedVolume, size: string): Promise<void> {
    if (!driver.expands) return;
    const { client, node } = this.#deps;
    await driver.client.nodeExpandVolume({
      volumeId: volume.spec?.csi?.volumeHandle ?? "",
      volumePath: target,
      stagingTargetPath: driver.stages ? stagingPath(node, recordOf(volume)) : "",
      capacityRange: { requiredBytes: memoryBytes(size), limitBytes: 0 },
      volumeCapability: capabilityOf(volume),
      secrets: await secretFor(client, volume.spec?.csi?.nodeExpandSecretRef),
    });
  }

  async #reportFailure(published: PublishedVolume, claim: PersistentVolumeClaim, error: Error): Promise<void> {
    const message = `MountVolume.NodeExpandVolume failed for volume "${published.volume.metadata.name}" : ${error.message}`;
    for (const about of subjectsOf(published, claim))
      this.#deps.events.record(about, { type: "Warning", reason: "VolumeResizeFailed", message });
    if (isRpcError(error, "FAILED_PRECONDITION")) {
      this.#waiting.add(claim.metadata.uid ?? "");
      await this.#put(claim, "NodeResizePending", waitingMessage);
    } else if (isRpcError(error, ...infeasible)) await this.#put(claim, "NodeResizeInfeasible", message);
  }

  #put(claim: PersistentVolumeClaim, state: GrowthState, message?: string): Promise<PersistentVolumeClaim> {
    const { client, clock } = this.#deps;
    const size = claim.status?.allocatedResources?.["storage"] ?? "";
    const step = { state, size, nowMs: clock.nowMs(), ...(message === undefined ? {} : { message }) };
    return client.update(
      persistentVolumeClaims,
      { ...claim, status: withGrowth(claim, step) },
      { subresource: "status" },
    );
  }
}

function subjectsOf({ pod }: PublishedVolume, { metadata }: PersistentVolumeClaim): ObjectReference[] {
  const { namespace = "", name = "", uid = "" } = metadata;
  return [
    { apiVersion: "v1", kind: "Pod", ...pod },
    { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
  ];
}
