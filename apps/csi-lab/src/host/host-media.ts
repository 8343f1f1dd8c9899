import { existsSync } from "node:fs";
import { mkdir, rename, rm, truncate } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type CloudOptions, type CloudDisk, type DiskMedia } from "@kintsugi/csi";
import { RpcError } from "@kintsugi/grpc";
import { removeTree, runCommand } from "@kintsugi/daemon";
import type { CloudDirectory } from "./cloud-directory.ts";
import { copyTree } from "./copy-tree.ts";
import { cutOffImage, loopsOf } from "./loop-devices.ts";
import { findMounter } from "./mounters.ts";
import { makeImage } from "./new-image.ts";

export interface HostMediaOptions extends CloudOptions {
  readonly driverName: string;
  /** True: new disks are images with ext4, which need loop devices. False: directories. */
  readonly images: boolean;
}

/** Disks as files of this host. */
export function createHostMedia(cloud: CloudDirectory, options: HostMediaOptions): DiskMedia {
  return {
    readBooks: () => cloud.readBooks(),
    writeBooks: (books) => cloud.writeBooks(books),
    listCloud: async () => ({ driverName: options.driverName, nodes: await cloud.listNodes(), options }),
    provide: (disk) => provide(cloud, disk, options),
    resize: async ({ id, capacityBytes }) => {
      const image = imageOf(cloud.disk(id));
      if (existsSync(image)) await truncate(image, capacityBytes);
    },
    remove: async (id) => {
      await removeMedium(cloud.disk(id));
      await rm(cloud.lock(id), { force: true });
    },
    snapshot: async ({ id, sourceVolumeId }) => {
      // A directory would contain files of a copy that a crash has interrupted.
      await removeMedium(cloud.snapshot(id));
      await copyMedium(cloud.disk(sourceVolumeId), cloud.snapshot(id));
    },
    removeSnapshot: (id) => removeMedium(cloud.snapshot(id)),
    attach: async ({ id, attachment }) => cloud.attach(id, attachment?.nodeId ?? ""),
    cutOff: async ({ id, isBlock }) => {
      const image = imageOf(cloud.disk(id));
      await refuseWhileMounted(cloud, id);
      if (isBlock) await refuseWhilePublished(id, image);
      await cloud.detach(id);
      if (existsSync(image)) await cutOffImage(cloud.lock(id), image);
    },
  };
}

/**
 * A directory cannot be detached from a process that has mounted it, so it remains attached until
 * that process has ended. A confirmed detachment means that no process writes any longer.
 */
async function refuseWhileMounted(cloud: CloudDirectory, id: string): Promise<void> {
  if (existsSync(imageOf(cloud.disk(id)))) return;
  const pid = await findMounter(`/disks/${id}`);
  if (pid === undefined) return;
  const because = "a disk that is a directory is detached when the last container with it has ended";
  throw new RpcError("FAILED_PRECONDITION", `volume ${id} is still mounted by process ${pid}: ${because}`);
}

/**
 * The kernel cannot revoke a raw device from a process that has it open, and a released device may
 * later represent another disk. So it remains attached until its node has unpublished it, or has
 * ended.
 */
async function refuseWhilePublished(id: string, image: string): Promise<void> {
  for (const device of await loopsOf(image)) {
    const pid = await findMounter(`/${basename(device)}`);
    const because = "a raw device is detached when its node has unpublished it or has ended";
    if (pid !== undefined)
      throw new RpcError("FAILED_PRECONDITION", `volume ${id} is still published to process ${pid}: ${because}`);
    await runCommand("losetup", ["--detach", device]);
  }
  if ((await loopsOf(image)).length > 0)
    throw new RpcError("FAILED_PRECONDITION", `volume ${id} is still open in a process of this host`);
}

export function imageOf(path: string): string {
  return `${path}.img`;
}

/** Also removes the remains of an interrupted copy. */
async function removeMedium(path: string): Promise<void> {
  for (const each of [path, imageOf(path), `${imageOf(path)}.new`]) await removeTree(each);
}

async function provide(cloud: CloudDirectory, disk: CloudDisk, { images }: HostMediaOptions): Promise<void> {
  const path = cloud.disk(disk.id);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const source = sourceOf(cloud, disk);
  if (source !== undefined) await copyMedium(source, path);
  else if (images || disk.isBlock)
    await makeImage(imageOf(path), { bytes: disk.capacityBytes, isRaw: disk.isBlock === true });
  else await mkdir(path, { recursive: true, mode: 0o755 });
  const image = imageOf(path);
  if (source !== undefined && existsSync(image)) await growCopy(image, disk);
}

function sourceOf(cloud: CloudDirectory, { fromSnapshot, fromVolume }: CloudDisk): string | undefined {
  if (fromSnapshot !== undefined) return cloud.snapshot(fromSnapshot);
  return fromVolume === undefined ? undefined : cloud.disk(fromVolume);
}

/** A copy of a mounted image is like an image after a power loss: its journal is replayed. */
async function copyMedium(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const image = imageOf(from);
  if (existsSync(image)) {
    await runCommand("cp", ["--sparse=always", "--reflink=auto", image, `${imageOf(to)}.new`]);
    await rename(`${imageOf(to)}.new`, imageOf(to));
    return;
  }
  // A crash may have interrupted an earlier copy.
  await removeTree(to);
  await copyTree(from, to);
}

async function growCopy(image: string, { capacityBytes, isBlock }: CloudDisk): Promise<void> {
  await truncate(image, capacityBytes);
  if (isBlock) return;
  await runCommand("sh", ["-c", 'e2fsck -fp "$1" >/dev/null 2>&1 || [ $? -le 3 ]', "sh", image]);
  await runCommand("resize2fs", [image]);
}
