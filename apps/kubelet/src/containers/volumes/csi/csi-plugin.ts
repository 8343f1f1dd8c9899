import type { PersistentVolumePlugin } from "../claims/persistent-volume-plugin.ts";
import { unsupportedVolume } from "../plugins/unsupported-volume.ts";
import type { VolumePlugin } from "../plugins/volume-plugin.ts";
import type { CsiVolumes } from "./csi-volumes.ts";

/** Volumes of drivers that are registered on this node. */
export function csiPlugin(volumes: CsiVolumes): PersistentVolumePlugin {
  return {
    supports: ({ spec }) => spec?.csi !== undefined,
    setUp: (pod, claimed) => volumes.setUp(pod, claimed),
    unmount: (podUid) => volumes.tearDown(podUid),
  };
}

/**
 * Volumes that a pod describes itself. The pod's other CSI volumes are unmounted in the same step.
 */
export function csiInlinePlugin(volumes: Pick<CsiVolumes, "setUpInline"> | undefined): VolumePlugin {
  return {
    followsApi: false,
    supports: ({ csi }) => csi !== undefined,
    setUp: ({ pod, volume }) => {
      if (volumes === undefined || volume.csi === undefined) throw unsupportedVolume(volume, "type csi");
      return volumes.setUpInline(pod, volume, volume.csi);
    },
  };
}
