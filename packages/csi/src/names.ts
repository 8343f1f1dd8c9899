import { createHash } from "node:crypto";

/** The type of plugins that are CSI drivers. */
export const csiPluginType = "CSIPlugin";

interface HandledVolume {
  readonly driver: string;
  readonly volumeHandle: string;
}

/**
 * Returns the name of the VolumeAttachment of a volume and a node, as upstream's GetAttachmentName
 * does.
 */
export function attachmentNameOf({ driver, volumeHandle }: HandledVolume, nodeName: string): string {
  return `csi-${createHash("sha256").update(`${volumeHandle}${driver}${nodeName}`).digest("hex")}`;
}

/** Returns the volume's name in a Node's `volumesInUse` and `volumesAttached`. */
export function uniqueVolumeName({ driver, volumeHandle }: HandledVolume): string {
  return `kubernetes.io/csi/${driver}^${volumeHandle}`;
}
