import { claimOfVolume, classOfClaim, type PersistentVolumeClaim, type Pod } from "@kintsugi/api";
import type { NodeInfo } from "../../cluster-state/node-info.ts";
import type { StorageView } from "../../cluster-state/storage.ts";
import type { Plugin } from "../../framework/plugin.ts";
import { doesNotFitNow, fits } from "../../framework/verdict.ts";
import { podUsesClaim } from "./pod-claims.ts";

const tooMany = doesNotFitNow({ code: "TooManyVolumes" });

/**
 * Volumes by a key that is the same for all pods that share the volume; the values are their
 * drivers.
 */
type DriverOfVolume = ReadonlyMap<string, string>;

/**
 * A node has as many volumes of a CSI driver as its CSINode allows (upstream's CSILimits). A volume
 * counts once, whether several pods use it or its detachment is still in progress.
 */
export const nodeVolumeLimits: Plugin = {
  name: "NodeVolumeLimits",
  filterReads: "node and its pods",
  filter: ({ pod }, { storage }) => {
    const wanted = volumesOf(pod, storage);
    if (wanted.size === 0) return "anything";
    return { check: (node) => (hasRoom(node, wanted, storage) ? fits : tooMany) };
  },
  mayHelp: ({ pod }, event) => {
    switch (event.is) {
      case "CSINodeAdd":
      case "CSINodeUpdate":
      case "VolumeAttachmentDelete":
        return true;
      case "AssignedPodDelete":
        return (event.pod.pod.spec?.volumes ?? []).some(
          (volume) => claimOfVolume(volume, event.pod.pod.metadata.name ?? "") !== undefined,
        );
      case "PersistentVolumeClaimAdd":
        return podUsesClaim(pod, event.claim.metadata);
      default:
        return false;
    }
  },
};

function hasRoom(node: NodeInfo, wanted: DriverOfVolume, storage: StorageView): boolean {
  const limits = limitsOf(node, storage);
  const limited = [...wanted].filter(([, driver]) => limits.has(driver));
  if (limited.length === 0) return true;
  const used = new Map<string, string>();
  for (const { pod } of node.pods()) for (const [key, driver] of volumesOf(pod, storage)) used.set(key, driver);
  for (const name of storage.attachedTo(node.name)) {
    const volume = volumeKey(name, storage);
    if (volume !== undefined) used.set(...volume);
  }
  const added = new Map(limited.filter(([key]) => !used.has(key)));
  return [...countByDriver(added)].every(
    ([driver, count]) => count + (countByDriver(used).get(driver) ?? 0) <= (limits.get(driver) ?? Infinity),
  );
}

/** A driver without a count has no limit. */
function limitsOf(node: NodeInfo, storage: StorageView): ReadonlyMap<string, number> {
  const { drivers = [] } = storage.findCsiNode(node.name)?.spec ?? {};
  return new Map(
    drivers.flatMap(({ name, allocatable }) => (allocatable?.count === undefined ? [] : [[name, allocatable.count]])),
  );
}

function countByDriver(volumes: DriverOfVolume): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const driver of volumes.values()) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  return counts;
}

/**
 * A claim that no longer exists is not counted. VolumeBinding rejects the pod if the claim is
 * needed.
 */
function volumesOf({ metadata, spec }: Pod, storage: StorageView): DriverOfVolume {
  const { namespace = "", name = "" } = metadata;
  return new Map(
    (spec?.volumes ?? []).flatMap((volume) => {
      const claimName = claimOfVolume(volume, name);
      const claim = claimName === undefined ? undefined : storage.findClaim(namespace, claimName);
      const found = claim === undefined ? undefined : volumeOfClaim(claim, storage);
      return found === undefined ? [] : [found];
    }),
  );
}

/** A volume that is still to be provisioned counts for its class's provisioner. */
function volumeOfClaim(claim: PersistentVolumeClaim, storage: StorageView): [key: string, driver: string] | undefined {
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName !== "") return volumeKey(volumeName, storage);
  const driver = storage.findClass(classOfClaim(claim))?.provisioner;
  const { namespace = "", name = "" } = claim.metadata;
  return driver === undefined ? undefined : [`claim ${namespace}/${name}`, driver];
}

function volumeKey(name: string, storage: StorageView): [key: string, driver: string] | undefined {
  const { driver, volumeHandle } = storage.findVolume(name)?.spec?.csi ?? {};
  return driver === undefined ? undefined : [`volume ${driver}/${volumeHandle}`, driver];
}
