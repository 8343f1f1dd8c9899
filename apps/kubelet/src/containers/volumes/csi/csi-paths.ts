import { createHash } from "node:crypto";
import { join } from "node:path";
import { type NodeContext, podDirectory } from "../../../model/node-context.ts";
import { volumeDirectory } from "../plugins/volume-plugin.ts";

// Upstream's places:
//
//   <root-dir>/plugins/kubernetes.io/csi/<driver>/<sha256 of the handle>/globalmount   for the node
//   <root-dir>/pods/<uid>/volumes/kubernetes.io~csi/<volume>/mount                     for a pod
//   <root-dir>/pods/<uid>/volumes/kubernetes.io~csi/<volume>/device                    a raw device
//
// A file vol_data.json is next to each. It is written before the first call to the driver and
// removed after the last, so that a restarted kubelet finds the mounts to remove.

/** The record of a volume, next to its mount. */
export interface VolumeRecord {
  readonly driverName: string;
  readonly volumeHandle: string;
}

export const recordName = "vol_data.json";

export function stagingRoot({ rootDirectory }: NodeContext): string {
  return join(rootDirectory, "plugins", "kubernetes.io", "csi");
}

/** Returns the directory with a volume's record and its mount for the node. */
export function stagingDirectory(node: NodeContext, { driverName, volumeHandle }: VolumeRecord): string {
  const handle = createHash("sha256").update(volumeHandle).digest("hex");
  return join(stagingRoot(node), driverName, handle);
}

export function stagingPath(node: NodeContext, record: VolumeRecord): string {
  return join(stagingDirectory(node, record), "globalmount");
}

/** Returns the paths at which a pod's volume may be published: a directory, or a raw device. */
export function targetsIn(directory: string): { mount: string; device: string } {
  return { mount: join(directory, "mount"), device: join(directory, "device") };
}

/** Returns the directory of all CSI volumes of a pod. */
export function podVolumesDirectory(node: NodeContext, podUid: string): string {
  return join(podDirectory(node, podUid), "volumes", "kubernetes.io~csi");
}

/** Returns the directory with a volume's record and its mount for the pod. */
export function podVolumeDirectory(node: NodeContext, podUid: string, volumeName: string): string {
  return volumeDirectory(node, podUid, { plugin: "csi", name: volumeName });
}
