import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { bytesQuantity, isQuantity, memoryBytes } from "@kintsugi/api";
import { type Texts } from "@kintsugi/csi";
import { RpcError } from "@kintsugi/grpc";
import { removeTree, runCommand } from "@kintsugi/daemon";
import type { CloudDirectory } from "../host/cloud-directory.ts";
import { imageOf } from "../host/host-media.ts";
import { draftOf, makeImage } from "../host/new-image.ts";
import { bookingOf, bookInline, type InlineLimits } from "./inline-room.ts";

// An inline volume is a medium of its node, created when it is published and removed when it is
// unpublished:
//
//   ephemeral/csi-<hash>.json   its reservation, which counts for the limits of such volumes
//   ephemeral/csi-<hash>.img    an image with ext4, or a directory ephemeral/csi-<hash>

/** The kubelet's property by which it requests such a volume. */
const ephemeralKey = "csi.storage.k8s.io/ephemeral";
/** The size where the pod does not set a size. */
const defaultSize = "64Mi";
/** The namespace of the pod, which the kubelet passes where the CSIDriver has podInfoOnMount. */
const namespaceKey = "csi.storage.k8s.io/pod.namespace";
/** The smallest file system of mkfs.ext4 with a journal. */
const bytesMin = 8 * 1024 ** 2;

export function isInlineRequest(volumeContext: Texts | undefined): boolean {
  return volumeContext?.[ephemeralKey] === "true";
}

/** The format of the kubelet's handles; any other handle may be a path to another directory. */
export function isInlineId(id: string): boolean {
  return /^csi-[0-9a-f]{64}$/.test(id);
}

/**
 * The namespace of the pod and the size of its volume.
 * @throws RpcError INVALID_ARGUMENT for a size that is invalid for inline volumes.
 */
export function readInline(volumeContext: Texts = {}, { volumeBytesMax }: InlineLimits) {
  const { size = defaultSize, [namespaceKey]: namespace = "" } = volumeContext;
  const bytes = isQuantity(size) ? memoryBytes(size) : Number.NaN;
  if (bytes >= bytesMin && bytes <= volumeBytesMax) return { bytes, namespace };
  const range = `from 8Mi to ${bytesQuantity(volumeBytesMax)}, as "64Mi"`;
  throw new RpcError("INVALID_ARGUMENT", `size ${JSON.stringify(size)} must be a quantity ${range}`);
}

export interface InlineVolume {
  readonly id: string;
  readonly target: string;
  readonly bytes: number;
  readonly namespace: string;
  readonly readonly: boolean;
}

export interface InlineOptions {
  readonly images: boolean;
  readonly limits: InlineLimits;
}

/**
 * Creates the volume and mounts it. A volume that a crash has left incomplete is created again.
 * @throws RpcError RESOURCE_EXHAUSTED where there is not enough space.
 */
export async function publishInline(
  cloud: CloudDirectory,
  { id, target, bytes, namespace, readonly }: InlineVolume,
  { images, limits }: InlineOptions,
): Promise<void> {
  if (!isInlineId(id))
    throw new RpcError("INVALID_ARGUMENT", `volume_id ${JSON.stringify(id)} was not assigned by the kubelet`);
  const path = cloud.ephemeral(id);
  await mkdir(cloud.ephemeralDirectory, { recursive: true, mode: 0o700 });
  await bookInline(cloud, { id, bytes, namespace }, limits);
  await mkdir(target, { recursive: true, mode: 0o750 });
  const access = readonly ? "ro" : "rw";
  if (!images) {
    await mkdir(path, { recursive: true, mode: 0o777 });
    await runCommand("mount", ["--bind", path, target]);
    if (readonly) await runCommand("mount", ["-o", "remount,bind,ro", target]);
    return;
  }
  const image = imageOf(path);
  if (!existsSync(image)) await makeImage(image, { bytes });
  // mount(8) releases the loop device with the mount.
  await runCommand("mount", ["-t", "ext4", "-o", `loop,${access}`, image, target]);
}

/** Removes the medium, which is not mounted, and then its reservation. */
export async function removeInline(cloud: CloudDirectory, id: string): Promise<void> {
  const path = cloud.ephemeral(id);
  const image = imageOf(path);
  for (const each of [path, image, draftOf(image), bookingOf(cloud, id)]) await removeTree(each);
}
