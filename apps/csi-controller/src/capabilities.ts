import type { CsiAccessMode, VolumeCapability } from "@kintsugi/csi";

const csiModes: Readonly<Record<string, CsiAccessMode>> = {
  ReadWriteOnce: "SINGLE_NODE_WRITER",
  ReadWriteOncePod: "SINGLE_NODE_SINGLE_WRITER",
  ReadOnlyMany: "MULTI_NODE_READER_ONLY",
  ReadWriteMany: "MULTI_NODE_MULTI_WRITER",
};

export interface VolumeShape {
  readonly accessModes?: readonly string[] | undefined;
  /** "Block" or "Filesystem", which is the default. */
  readonly volumeMode?: string | undefined;
  readonly fsType: string;
}

/** Returns the driver's capabilities for a volume's access modes. */
export function capabilitiesOf({ accessModes = [], volumeMode, fsType }: VolumeShape): VolumeCapability[] {
  return accessModes.map((mode) => ({
    ...(volumeMode === "Block" ? { block: {} } : { mount: { fsType, mountFlags: [] } }),
    accessMode: { mode: csiModes[mode] ?? "UNKNOWN" },
  }));
}
