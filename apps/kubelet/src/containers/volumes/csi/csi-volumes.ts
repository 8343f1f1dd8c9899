import type { Logger, PersistentVolume, Volume } from "@kintsugi/api";
import { uniqueVolumeName } from "@kintsugi/csi";
import type { BoundPod } from "../../../model/bound-pod.ts";
import type { ClaimedVolume } from "../claims/resolve-claim.ts";
import type { PluginDeps, ProvidedVolume } from "../plugins/volume-plugin.ts";
import { type AttachmentWaitDeps, waitForAttachment } from "./attachment-wait.ts";
import {
  capabilityOf,
  inlineCapability,
  inlineRecord,
  type InlineSource,
  isDevice,
  podProperties,
  recordOf,
  secretFor,
} from "./request-fields.ts";
import { podVolumeDirectory, stagingDirectory, stagingPath, targetsIn, type VolumeRecord } from "./csi-paths.ts";
import { CsiRecords } from "./csi-records.ts";
import type { DriverRegistry, RegisteredDriver } from "./driver-registry.ts";
import { type DriverTraits, groupGiver, requireEphemeral, traitsOf } from "./driver-traits.ts";
import type { VolumeGrowth } from "./volume-growth.ts";

export interface CsiVolumesDeps extends PluginDeps, Omit<AttachmentWaitDeps, "nodeName"> {
  readonly log: Logger;
  readonly registry: DriverRegistry;
  readonly growth: Pick<VolumeGrowth, "settle">;
}

/** Interval of searches for volumes whose last pod ended while their driver was down. */
const sweepIntervalMs = 60_000;

/** Mounts and unmounts the volumes of CSI drivers. Its complete state is on disk. */
export class CsiVolumes {
  readonly #deps: CsiVolumesDeps;
  readonly #records: CsiRecords;
  /** Volumes that are or may be mounted, under their names in the Node's status. */
  readonly #inUse = new Set<string>();
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #listeners: (() => void)[] = [];

  constructor(deps: CsiVolumesDeps) {
    this.#deps = deps;
    this.#records = new CsiRecords(deps);
  }

  /** Finds the volumes that an earlier kubelet has mounted. Call before the first report. */
  async load(): Promise<void> {
    for (const record of await this.#records.listStaged()) this.#inUse.add(nameOf(record));
  }

  /**
   * Returns the Node's `volumesInUse`. Controllers do not detach these volumes while the node
   * works.
   */
  inUse(): string[] {
    return [...this.#inUse].toSorted();
  }

  /** Calls back when `inUse` has changed. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Unmounts volumes that no pod uses, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, registry } = this.#deps;
    registry.onRegistered(() => void this.#sweep());
    while (!signal.aborted) {
      await this.#sweep().catch((error: unknown) => log.warn("volumes not swept", { error }));
      await clock.sleep(sweepIntervalMs, signal, "routine").catch(() => {});
    }
  }

  async setUp(pod: BoundPod, { volume, readonly }: ClaimedVolume): Promise<ProvidedVolume> {
    const { client, node, mounts } = this.#deps;
    const record = recordOf(volume);
    const directory = podVolumeDirectory(node, pod.metadata.uid, volume.metadata.name ?? "");
    const target = targetsIn(directory)[isDevice(volume) ? "device" : "mount"];
    const provided = { hostPath: target, readonly, ...(isDevice(volume) ? { isDevice: true } : {}) };
    if ((await mounts.below(target)).length > 0) return provided;
    return this.#inTurn(record, async () => {
      const driver = this.#driver(record.driverName);
      const traits = await traitsOf(client, record.driverName);
      await this.#records.put(directory, record);
      await this.#mark(record);
      const publishContext = traits.attaches
        ? await waitForAttachment({ ...this.#deps, nodeName: node.nodeName }, volume)
        : {};
      await this.#mount({ driver, traits, pod, volume, target, readonly, publishContext });
      return provided;
    });
  }

  /** An inline volume lives as long as its pod, and is neither attached nor staged. */
  async setUpInline(pod: BoundPod, volume: Volume, source: InlineSource): Promise<ProvidedVolume> {
    const { client, node, mounts, files } = this.#deps;
    const record = inlineRecord(pod, volume, source);
    const directory = podVolumeDirectory(node, pod.metadata.uid, volume.name);
    const target = targetsIn(directory).mount;
    const readonly = source.readOnly ?? false;
    return this.#inTurn(record, async () => {
      const driver = this.#driver(source.driver);
      const traits = await traitsOf(client, source.driver);
      const { fsGroup } = pod.spec.securityContext ?? {};
      const grouped = { fsGroup, readonly, fsType: source.fsType ?? "", accessModes: undefined };
      const giver = groupGiver(grouped, { policy: traits.fsGroupPolicy, isDelegated: driver.givesGroups });
      if ((await mounts.below(target)).length === 0) {
        requireEphemeral(source.driver, traits);
        await this.#records.put(directory, record);
        const place = { namespace: pod.metadata.namespace, name: source.nodePublishSecretRef?.name };
        await driver.client.nodePublishVolume({
          volumeId: record.volumeHandle,
          stagingTargetPath: "",
          targetPath: target,
          volumeCapability: inlineCapability(source, giver === "driver" ? String(fsGroup) : undefined),
          readonly,
          secrets: await secretFor(client, place),
          volumeContext: {
            ...source.volumeAttributes,
            ...(traits.wantsPodInfo ? podProperties(pod, { isEphemeral: true }) : {}),
          },
        });
      }
      // A crash may have prevented the group from being set. The root directory gets it last.
      if (giver === "kubelet" && fsGroup !== undefined)
        await files.grantGroup(target, fsGroup, { readonly: false, unlessRootHasIt: true });
      return { hostPath: target, readonly };
    });
  }

  /** Unmounts a pod's volumes, and the node mounts of volumes that no other pod uses. */
  async tearDown(podUid: string): Promise<void> {
    for (const { directory, record } of await this.#records.listOfPod(podUid)) {
      await this.#inTurn(record, async () => {
        for (const target of Object.values(targetsIn(directory))) {
          // A pod that never got its volume can be removed without a driver.
          if ((await this.#deps.mounts.below(target)).length === 0) continue;
          const { client } = this.#driver(record.driverName);
          await client.nodeUnpublishVolume({ volumeId: record.volumeHandle, targetPath: target });
        }
        await this.#records.remove(directory);
        await this.#releaseUnused(record);
      });
    }
  }

  async #mount({ driver, traits, pod, volume, target, readonly, publishContext }: PodMount): Promise<void> {
    const { client, files, node } = this.#deps;
    const { csi, accessModes } = volume.spec ?? {};
    const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
    const grouped = { fsGroup, readonly, fsType: csi?.fsType ?? "", accessModes: accessModes ?? [] };
    const policy = { policy: traits.fsGroupPolicy, isDelegated: driver.givesGroups };
    const giver = isDevice(volume) ? "none" : groupGiver(grouped, policy);
    const request = {
      volumeId: csi?.volumeHandle ?? "",
      publishContext,
      stagingTargetPath: stagingPath(node, recordOf(volume)),
      volumeCapability: capabilityOf(volume, giver === "driver" ? String(fsGroup) : undefined),
      volumeContext: csi?.volumeAttributes ?? {},
    };
    if (driver.stages) {
      await files.makeDirectory(request.stagingTargetPath, 0o750);
      await driver.client.nodeStageVolume({ ...request, secrets: await secretFor(client, csi?.nodeStageSecretRef) });
    }
    const unlessRootHasIt = fsGroupChangePolicy === "OnRootMismatch";
    const grant = async (path: string) => {
      if (giver === "kubelet" && fsGroup !== undefined)
        await files.grantGroup(path, fsGroup, { readonly: false, unlessRootHasIt });
    };
    // The group is set before the pod's mount, so that both steps are repeated after a crash
    // between them.
    if (driver.stages) await grant(request.stagingTargetPath);
    await driver.client.nodePublishVolume({
      ...request,
      targetPath: target,
      readonly: readonly || csi?.readOnly === true,
      secrets: await secretFor(client, csi?.nodePublishSecretRef),
      volumeContext: {
        ...request.volumeContext,
        ...(traits.wantsPodInfo ? podProperties(pod, { isEphemeral: false }) : {}),
      },
    });
    if (!driver.stages) await grant(target);
    // The pod does not wait for the growth of its volume, because the claim's conditions show the
    // outcome.
    void this.#deps.growth.settle({ driver, volume, target, pod: pod.metadata }, { isFresh: true });
  }

  /** Unmounts the volume for the node, unless a pod uses it. */
  async #releaseUnused(record: VolumeRecord): Promise<void> {
    const { node, mounts } = this.#deps;
    if (await this.#records.isUsed(record)) return;
    const staging = stagingPath(node, record);
    if ((await mounts.below(staging)).length > 0) {
      const { client } = this.#driver(record.driverName);
      await client.nodeUnstageVolume({ volumeId: record.volumeHandle, stagingTargetPath: staging });
    }
    if ((await mounts.below(staging)).length > 0) throw new Error(`${staging} is still mounted`);
    await this.#records.remove(stagingDirectory(node, record));
    this.#inUse.delete(nameOf(record));
    this.#changed();
  }

  async #sweep(): Promise<void> {
    for (const record of await this.#records.listStaged()) {
      await this.#inTurn(record, () => this.#releaseUnused(record)).catch((error: unknown) =>
        this.#deps.log.warn("volume not unmounted", { volume: nameOf(record), error }),
      );
    }
  }

  async #mark(record: VolumeRecord): Promise<void> {
    await this.#records.put(stagingDirectory(this.#deps.node, record), record);
    if (this.#inUse.has(nameOf(record))) return;
    this.#inUse.add(nameOf(record));
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #driver(name: string): RegisteredDriver {
    const driver = this.#deps.registry.find(name);
    if (driver !== undefined) return driver;
    throw new Error(`driver name ${name} not found in the list of registered CSI drivers`);
  }

  /**
   * Serializes the steps of each volume, so that a pod does not get a volume while it is being
   * unmounted.
   */
  #inTurn<T>(record: VolumeRecord, step: () => Promise<T>): Promise<T> {
    const name = nameOf(record);
    const mine = (this.#turns.get(name) ?? Promise.resolve()).then(step);
    const ended = mine.then(
      () => {},
      () => {},
    );
    this.#turns.set(name, ended);
    void ended.then(() => {
      if (this.#turns.get(name) === ended) this.#turns.delete(name);
    });
    return mine;
  }
}

interface PodMount {
  readonly driver: RegisteredDriver;
  readonly traits: DriverTraits;
  readonly pod: BoundPod;
  readonly volume: PersistentVolume;
  readonly target: string;
  readonly readonly: boolean;
  readonly publishContext: Readonly<Record<string, string>>;
}

function nameOf({ driverName, volumeHandle }: VolumeRecord): string {
  return uniqueVolumeName({ driver: driverName, volumeHandle });
}
