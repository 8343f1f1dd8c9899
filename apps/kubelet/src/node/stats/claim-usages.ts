import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { VolumeUsage } from "@kintsugi/csi";
import type { FilesystemSpace, Machine } from "../../machine/kernel/machine.ts";
import type { ClaimRecords } from "../../containers/volumes/claims/claim-records.ts";
import type { PublishedVolume } from "../../containers/volumes/csi/volume-growth.ts";
import { stagingPath } from "../../containers/volumes/csi/csi-paths.ts";
import { recordOf } from "../../containers/volumes/csi/request-fields.ts";
import type { NodeContext } from "../../model/node-context.ts";

/** The usage of a claim's volume, with the volume's name in the pod. */
export interface ClaimUsage extends FilesystemSpace {
  readonly volumeName: string;
  readonly claim: { readonly namespace: string; readonly name: string };
}

export interface ClaimUsagesDeps {
  readonly records: Pick<ClaimRecords, "listOfPod">;
  /** Finds a volume of the pod that a driver of this node has published. */
  readonly findPublished: (podUid: string, persistentVolumeName: string) => Promise<PublishedVolume | undefined>;
  readonly clock: Clock;
  readonly machine: Pick<Machine, "filesystem">;
  readonly node: NodeContext;
  readonly log: Logger;
}

/** Time limit of a driver's answer about usage, after which the summary omits it. */
const callMsMax = 5_000;

/**
 * Measures the volumes behind claims. Drivers report the usage of their volumes, and the kernel
 * reports the usage of all other volumes.
 */
export class ClaimUsages {
  readonly #deps: ClaimUsagesDeps;

  constructor(deps: ClaimUsagesDeps) {
    this.#deps = deps;
  }

  /** Returns the pod's usages. A volume that cannot be measured at the moment is omitted. */
  async measure(podUid: string): Promise<ClaimUsage[]> {
    const found: ClaimUsage[] = [];
    for (const { volumeName, claimed } of await this.#deps.records.listOfPod(podUid)) {
      const { claimRef, csi, local, hostPath } = claimed.volume.spec ?? {};
      const claim = { namespace: claimRef?.namespace ?? "", name: claimRef?.name ?? "" };
      const path = local?.path ?? hostPath?.path;
      const space =
        csi === undefined
          ? path && (await this.#deps.machine.filesystem(path))
          : await this.#askDriver(podUid, claimed.volume.metadata.name ?? "");
      if (space) found.push({ volumeName, claim, ...space });
    }
    return found;
  }

  async #askDriver(podUid: string, persistentVolumeName: string): Promise<FilesystemSpace | undefined> {
    const { clock, findPublished, node, log } = this.#deps;
    const published = await findPublished(podUid, persistentVolumeName);
    if (published?.driver.reportsUsage !== true) return undefined;
    const { driver, volume, target } = published;
    const [answered, tooLate] = [new AbortController(), new AbortController()];
    void clock.sleep(callMsMax, answered.signal).then(
      () => tooLate.abort(),
      () => {},
    );
    try {
      const { usage } = await driver.client.nodeGetVolumeStats(
        {
          volumeId: volume.spec?.csi?.volumeHandle ?? "",
          volumePath: target,
          stagingTargetPath: driver.stages ? stagingPath(node, recordOf(volume)) : "",
        },
        tooLate.signal,
      );
      return spaceOf(usage);
    } catch (error) {
      log.debug("volume not measured", { volume: volume.metadata.name ?? "", error });
      return undefined;
    } finally {
      answered.abort();
    }
  }
}

function spaceOf(usage: readonly VolumeUsage[]): FilesystemSpace | undefined {
  const bytes = usage.find(({ unit }) => unit === "BYTES");
  const inodes = usage.find(({ unit }) => unit === "INODES");
  if (bytes === undefined) return undefined;
  return {
    device: 0,
    capacityBytes: bytes.total,
    availableBytes: bytes.available,
    inodes: inodes?.total ?? 0,
    inodesFree: inodes?.available ?? 0,
  };
}
