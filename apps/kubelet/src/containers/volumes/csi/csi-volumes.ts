import { join } from "node:path";
import type { Logger, PersistentVolume } from "@kintsugi/api";
import { uniqueVolumeName, type VolumeCapability } from "@kintsugi/csi";
import type { BoundPod } from "../../../model/bound-pod.ts";
import type { ClaimedVolume } from "../claims/resolve-claim.ts";
import type { PluginDeps, ProvidedVolume } from "../plugins/volume-plugin.ts";
import { type AttachmentWaitDeps, waitForAttachment } from "./attachment-wait.ts";
import { podVolumeDirectory, stagingDirectory, stagingPath, type VolumeRecord } from "./csi-paths.ts";
import { CsiRecords } from "./csi-records.ts";
import type { DriverRegistry, RegisteredDriver } from "./driver-registry.ts";

export interface CsiVolumesDeps extends PluginDeps, Omit<AttachmentWaitDeps, "nodeName"> {
  readonly log: Logger;
  readonly registry: DriverRegistry;
}

/** Volumes whose last pod ended while their driver was away are looked for this often. */
const sweepIntervalMs = 60_000;

/** Mounts and unmounts the volumes of CSI drivers; all that it knows of them is on disk. */
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

  /** Returns the Node's `volumesInUse`: no controller detaches these while the node works. */
  inUse(): string[] {
    return [...this.#inUse].toSorted();
  }

  /** Calls back when `inUse` has changed. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Unmounts volumes that no pod has any more, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, registry } = this.#deps;
    registry.onRegistered(() => void this.#sweep());
    while (!signal.aborted) {
      await this.#sweep().catch((error: unknown) => log.warn("volumes not swept", { error }));
      await clock.sleep(sweepIntervalMs, signal).catch(() => {});
    }
  }

  async setUp(pod: BoundPod, { volume, readonly }: ClaimedVolume): Promise<ProvidedVolume> {
    const { node, mounts } = this.#deps;
    const record = recordOf(volume);
    const directory = podVolumeDirectory(node, pod.metadata.uid, volume.metadata.name ?? "");
    const target = join(directory, "mount");
    const provided = { hostPath: target, readonly };
    if ((await mounts.below(target)).length > 0) return provided;
    return this.#inTurn(record, async () => {
      const driver = this.#driver(record.driverName);
      await this.#records.put(directory, record);
      await this.#mark(record);
      const publishContext = await waitForAttachment({ ...this.#deps, nodeName: node.nodeName }, volume);
      await this.#mount(driver, { pod, volume, target, readonly, publishContext });
      return provided;
    });
  }

  /** Unmounts a pod's volumes, and those of the node that it was the last to use. */
  async tearDown(podUid: string): Promise<void> {
    for (const { directory, record } of await this.#records.listOfPod(podUid)) {
      await this.#inTurn(record, async () => {
        const target = join(directory, "mount");
        // A pod that never got its volume needs no driver to go.
        if ((await this.#deps.mounts.below(target)).length > 0) {
          const { client } = this.#driver(record.driverName);
          await client.nodeUnpublishVolume({ volumeId: record.volumeHandle, targetPath: target });
        }
        await this.#records.remove(directory);
        await this.#releaseUnused(record);
      });
    }
  }

  async #mount(driver: RegisteredDriver, mount: PodMount): Promise<void> {
    const { files, node } = this.#deps;
    const { pod, volume, target, readonly, publishContext } = mount;
    const { csi } = volume.spec ?? {};
    const request = {
      volumeId: csi?.volumeHandle ?? "",
      publishContext,
      stagingTargetPath: stagingPath(node, recordOf(volume)),
      volumeCapability: capabilityOf(volume),
      volumeContext: csi?.volumeAttributes ?? {},
    };
    if (driver.stages) {
      await files.makeDirectory(request.stagingTargetPath, 0o750);
      await driver.client.nodeStageVolume(request);
    }
    const { fsGroup } = pod.spec.securityContext ?? {};
    // The group comes before the pod's mount, so that a crash between the two leaves both to be
    // done.
    if (fsGroup !== undefined && !readonly && driver.stages)
      await files.grantGroup(request.stagingTargetPath, fsGroup, { readonly: false });
    await driver.client.nodePublishVolume({
      ...request,
      targetPath: target,
      readonly: readonly || csi?.readOnly === true,
    });
  }

  /** Unmounts the volume for the node, unless a pod has it. */
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

  /** One step at a time for each volume: no pod gets it while it is being unmounted. */
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
  readonly pod: BoundPod;
  readonly volume: PersistentVolume;
  readonly target: string;
  readonly readonly: boolean;
  readonly publishContext: Readonly<Record<string, string>>;
}

function recordOf({ spec }: PersistentVolume): VolumeRecord {
  return { driverName: spec?.csi?.driver ?? "", volumeHandle: spec?.csi?.volumeHandle ?? "" };
}

function nameOf({ driverName, volumeHandle }: VolumeRecord): string {
  return uniqueVolumeName({ driver: driverName, volumeHandle });
}

/** The first of the volume's access modes, as upstream's kubelet takes it. */
function capabilityOf({ spec }: PersistentVolume): VolumeCapability {
  const [mode] = spec?.accessModes ?? [];
  const modes = {
    ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
    ReadOnlyMany: "MULTI_NODE_READER_ONLY",
    ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
  } as const;
  const known = modes[mode as keyof typeof modes] ?? "SINGLE_NODE_WRITER";
  const mountFlags = spec?.mountOptions ?? [];
  return { mount: { fsType: spec?.csi?.fsType ?? "", mountFlags }, accessMode: { mode: known } };
}
