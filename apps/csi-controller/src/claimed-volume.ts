import {
  parseKey,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "@kintsugi/api";
import type { StorageContext } from "./context.ts";

/** Returns a claim and its volume; undefined where the volume does not belong to this driver. */
export function claimedVolume(
  { informers, driverName }: Pick<StorageContext, "informers" | "driverName">,
  key: string,
): { claim: PersistentVolumeClaim; volume: PersistentVolume } | undefined {
  const claim = informers.of(persistentVolumeClaims).find(parseKey(key));
  const volumeName = claim?.spec?.volumeName ?? "";
  const volume = informers.of(persistentVolumes).find({ namespace: "", name: volumeName });
  return claim === undefined || volume?.spec?.csi?.driver !== driverName ? undefined : { claim, volume };
}
