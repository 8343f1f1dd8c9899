import { existsSync } from "node:fs";
import { mkdir, rename, truncate, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { isQuantity, memoryBytes } from "@kintsugi/api";
import { CsiError, type Texts } from "@kintsugi/csi";
import { removeTree } from "@kintsugi/daemon";
import { runCommand } from "@kintsugi/lab";
import type { CloudDirectory } from "../host/cloud-directory.ts";
import { imageOf } from "../host/host-media.ts";

// A volume that a pod describes itself is a medium of its node, made when it is published and
// removed when it is unpublished:
//
//   ephemeral/csi-<hash>.img    an image with ext4, or a directory ephemeral/csi-<hash>

/** The kubelet's property by which it asks for such a volume. */
const ephemeralKey = "csi.storage.k8s.io/ephemeral";
/** The size where the pod names none. */
const defaultSize = "64Mi";
/** An image is sparse; a pod cannot ask for more than a disk of the lab's cloud may have. */
const bytesMax = 16 * 1024 ** 4;
/** The smallest file system of mkfs.ext4 with a journal. */
const bytesMin = 8 * 1024 ** 2;

export function isInlineRequest(volumeContext: Texts | undefined): boolean {
  return volumeContext?.[ephemeralKey] === "true";
}

/** The kubelet's handles; any other may be a path that leads elsewhere. */
export function isInlineId(id: string): boolean {
  return /^csi-[0-9a-f]{64}$/.test(id);
}

/** @throws CsiError INVALID_ARGUMENT for a size that none of the lab's volumes can have. */
export function inlineBytes(volumeContext: Texts = {}): number {
  const { size = defaultSize } = volumeContext;
  const bytes = isQuantity(size) ? memoryBytes(size) : Number.NaN;
  if (bytes >= bytesMin && bytes <= bytesMax) return bytes;
  throw new CsiError("INVALID_ARGUMENT", `size ${JSON.stringify(size)} must be a quantity from 8Mi to 16Ti, as "64Mi"`);
}

export interface InlineVolume {
  readonly id: string;
  readonly target: string;
  readonly bytes: number;
  readonly readonly: boolean;
}

/** Makes the volume and mounts it; one that a crash has left half made is made anew. */
export async function publishInline(
  cloud: CloudDirectory,
  { id, target, bytes, readonly }: InlineVolume,
  images: boolean,
): Promise<void> {
  if (!isInlineId(id))
    throw new CsiError("INVALID_ARGUMENT", `volume_id ${JSON.stringify(id)} is none of the kubelet's`);
  const path = cloud.ephemeral(id);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await mkdir(target, { recursive: true, mode: 0o750 });
  const access = readonly ? "ro" : "rw";
  if (!images) {
    await mkdir(path, { recursive: true, mode: 0o777 });
    await runCommand("mount", ["--bind", path, target]);
    if (readonly) await runCommand("mount", ["-o", "remount,bind,ro", target]);
    return;
  }
  const image = imageOf(path);
  if (!existsSync(image)) {
    const draft = `${image}.new`;
    await writeFile(draft, "", { mode: 0o600 });
    await truncate(draft, bytes);
    await runCommand("mkfs.ext4", ["-q", "-F", "-m", "0", draft]);
    await rename(draft, image);
  }
  // mount(8) frees the loop device with the mount.
  await runCommand("mount", ["-t", "ext4", "-o", `loop,${access}`, image, target]);
}

/** Removes the medium; nothing has it mounted any more. */
export async function removeInline(cloud: CloudDirectory, id: string): Promise<void> {
  const path = cloud.ephemeral(id);
  for (const each of [path, imageOf(path), `${imageOf(path)}.new`]) await removeTree(each);
}
