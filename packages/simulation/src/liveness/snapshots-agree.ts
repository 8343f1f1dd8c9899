import type { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass, VolumeSnapshot } from "@kintsugi/api";
import type { SimulatedCluster } from "../cluster.ts";
import { parseValue } from "../committed-values.ts";

/**
 * Lists the snapshots that are neither taken nor deleted, and the claims that are protected without
 * a snapshot.
 */
export function unfinishedSnapshots({ store }: Pick<SimulatedCluster, "store">): string[] {
  const read = <T>(prefix: string) => store.list(prefix).entries.map(({ value }) => parseValue<T>(value));
  const snapshots = read<VolumeSnapshot>("snapshot.storage.k8s.io/volumesnapshots/");
  const unready = snapshots.flatMap(({ metadata, status }) => {
    if (metadata.deletionTimestamp !== undefined) return [`snapshot ${metadata.name} is still being deleted`];
    return status?.readyToUse === true ? [] : [`snapshot ${metadata.name} is not ready: ${status?.error?.message}`];
  });
  const held = read<PersistentVolumeClaim>("core/persistentvolumeclaims/").filter(({ metadata }) =>
    metadata.finalizers?.includes("snapshot.storage.kubernetes.io/pvc-as-source-protection"),
  );
  return [...unready, ...held.map(({ metadata }) => `claim ${metadata.name} is held for a snapshot`)];
}

/** Lists the claims whose class differs from the class of their volume, or of the driver's disk. */
export function unmodifiedClaims({ store, storage }: Pick<SimulatedCluster, "store" | "storage">): string[] {
  const read = <T>(prefix: string) => store.list(prefix).entries.map(({ value }) => parseValue<T>(value));
  const volumes = read<PersistentVolume>("core/persistentvolumes/_/");
  const classes = read<VolumeAttributesClass>("storage.k8s.io/volumeattributesclasses/_/");
  return read<PersistentVolumeClaim>("core/persistentvolumeclaims/").flatMap(({ metadata, spec, status }) => {
    const wanted = spec?.volumeAttributesClassName;
    if (wanted === undefined || status?.phase !== "Bound") return [];
    const volume = volumes.find((each) => each.metadata.name === spec?.volumeName);
    const disk = storage?.disks().find(({ handle }) => handle === volume?.spec?.csi?.volumeHandle);
    const parameters = classes.find((each) => each.metadata.name === wanted)?.parameters ?? {};
    const has = Object.entries(parameters).every(([name, value]) => disk?.attributes?.[name] === value);
    const found = [status.currentVolumeAttributesClassName, volume?.spec?.volumeAttributesClassName];
    if (has && found.every((name) => name === wanted) && status.modifyVolumeStatus === undefined) return [];
    const disksOwn = JSON.stringify(disk?.attributes ?? {});
    return [
      `claim ${metadata.name} requests class ${wanted}, reports ${found.join(" and ")}, and its disk has ${disksOwn}`,
    ];
  });
}
