import type { Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Mounts } from "../../../machine/files/mounts.ts";
import type { NodeContext } from "../../../model/node-context.ts";
import type { ClaimRecords } from "../claims/claim-records.ts";
import { isDevice } from "./request-fields.ts";
import { podVolumeDirectory, targetsIn } from "./csi-paths.ts";
import type { DriverRegistry } from "./driver-registry.ts";
import type { PublishedVolume } from "./volume-growth.ts";

export interface PublishedDeps {
  readonly registry: Pick<DriverRegistry, "find">;
  readonly records: Pick<ClaimRecords, "listOfPod">;
  readonly mounts: Pick<Mounts, "below">;
  readonly node: NodeContext;
  readonly pods: Pick<Informer<Pod>, "list" | "byIndex">;
}

/**
 * Lists the claimed volumes that their drivers have published: the volumes of the pod with the UID,
 * or of all pods of the node.
 */
export async function publishedVolumes(deps: PublishedDeps, podUid?: string): Promise<PublishedVolume[]> {
  const { registry, records, mounts, node, pods } = deps;
  const found: PublishedVolume[] = [];
  for (const { metadata } of podUid === undefined ? pods.list() : pods.byIndex("uid", podUid)) {
    const { namespace = "", name = "", uid = "" } = metadata;
    for (const { claimed } of await records.listOfPod(uid)) {
      const { volume } = claimed;
      const driver = registry.find(volume.spec?.csi?.driver ?? "");
      if (driver === undefined) continue;
      const directory = podVolumeDirectory(node, uid, volume.metadata.name ?? "");
      const target = targetsIn(directory)[isDevice(volume) ? "device" : "mount"];
      if ((await mounts.below(target)).length === 0) continue;
      found.push({ driver, volume, target, pod: { namespace, name, uid } });
    }
  }
  return found;
}
