import type { PersistentVolumePlugin } from "../claims/persistent-volume-plugin.ts";
import type { CsiVolumes } from "./csi-volumes.ts";

/** Volumes of drivers that are registered on this node. */
export function csiPlugin(volumes: CsiVolumes): PersistentVolumePlugin {
  return {
    supports: ({ spec }) => spec?.csi !== undefined,
    setUp: (pod, claimed) => volumes.setUp(pod, claimed),
    unmount: (podUid) => volumes.tearDown(podUid),
  };
}
