import { existsSync } from "node:fs";
import { mkdir, rm, rmdir, stat, statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type CloudOptions,
  type CsiNodeService,
  existingDisk,
  isDiskId,
  type NodeCapability,
  required,
  requiredCapability,
  zoneKey,
} from "@kintsugi/csi";
import { RpcError } from "@kintsugi/grpc";
import { mountPoints, runCommand } from "@kintsugi/daemon";
import type { CloudDirectory } from "../host/cloud-directory.ts";
import { imageOf } from "../host/host-media.ts";
import { loopsOf, mountImage } from "../host/loop-devices.ts";
import type { InlineLimits } from "./inline-room.ts";
import { isInlineId, isInlineRequest, publishInline, readInline, removeInline } from "./inline-volumes.ts";

export interface NodeServiceOptions extends Pick<CloudOptions, "disksPerNodeMax"> {
  readonly driverName: string;
  readonly nodeId: string;
  readonly zone: string;
  /** True: inline volumes are images with ext4. False: directories. */
  readonly images: boolean;
  readonly inlineLimits: InlineLimits;
}

const capabilities: readonly NodeCapability[] = [
  "STAGE_UNSTAGE_VOLUME",
  "GET_VOLUME_STATS",
  "EXPAND_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
];

/** The Node service, which only mounts disks that are attached to its node. */
export function createNodeService(cloud: CloudDirectory, options: NodeServiceOptions): CsiNodeService {
  const { driverName, nodeId, zone, disksPerNodeMax } = options;
  return {
    ...stagingCalls(cloud, nodeId),
    ...publishingCalls(cloud, options),
    ...publishedCalls(cloud),
    nodeGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
    nodeGetInfo: async () => ({
      nodeId,
      maxVolumesPerNode: disksPerNodeMax,
      ...(zone === "" ? {} : { accessibleTopology: { segments: { [zoneKey(driverName)]: zone } } }),
    }),
  };
}

function stagingCalls(
  cloud: CloudDirectory,
  nodeId: string,
): Pick<CsiNodeService, "nodeStageVolume" | "nodeUnstageVolume"> {
  return {
    async nodeStageVolume(request) {
      const id = required(request.volumeId, "volume_id");
      const target = required(request.stagingTargetPath, "staging_target_path");
      const { block } = requiredCapability(request.volumeCapability);
      existingDisk(await cloud.readBooks(), id);
      if (!(await cloud.isAttachedTo(id, nodeId))) throw notAttached(id, nodeId);
      if (block !== undefined || (await isMounted(target))) return {};
      await mkdir(target, { recursive: true, mode: 0o750 });
      const image = imageOf(cloud.disk(id));
      if (!existsSync(image)) await runCommand("mount", ["--bind", cloud.disk(id), target]);
      else await mountImage({ lock: cloud.lock(id), attachment: cloud.attachment(id), nodeId, image, target });
      return {};
    },
    async nodeUnstageVolume(request) {
      required(request.volumeId, "volume_id");
      await unmount(required(request.stagingTargetPath, "staging_target_path"));
      return {};
    },
  };
}

function publishingCalls(
  cloud: CloudDirectory,
  { nodeId, images, inlineLimits: limits }: NodeServiceOptions,
): Pick<CsiNodeService, "nodePublishVolume" | "nodeUnpublishVolume"> {
  // Two concurrent volumes would both use the remaining space.
  const inTurn = createTurns();
  return {
    async nodePublishVolume(request) {
      const id = required(request.volumeId, "volume_id");
      const target = required(request.targetPath, "target_path");
      const { block } = requiredCapability(request.volumeCapability);
      if (isInlineRequest(request.volumeContext)) {
        const volume = { ...readInline(request.volumeContext, limits), id, target, readonly: request.readonly };
        if (!(await isMounted(target))) await inTurn(() => publishInline(cloud, volume, { images, limits }));
        return {};
      }
      const staging = required(request.stagingTargetPath, "staging_target_path");
      existingDisk(await cloud.readBooks(), id);
      if (await isMounted(target)) return {};
      if (!(await cloud.isAttachedTo(id, nodeId))) throw notAttached(id, nodeId);
      if (block !== undefined) await publishDevice(imageOf(cloud.disk(id)), target, request.readonly);
      else await publishDirectory(staging, target, request.readonly);
      return {};
    },
    async nodeUnpublishVolume(request) {
      const id = required(request.volumeId, "volume_id");
      const target = required(request.targetPath, "target_path");
      const isDevice = (await kindAt(target)) === "other";
      await unmount(target);
      await removeEmpty(target);
      if (isInlineId(id)) await removeInline(cloud, id);
      if (isDevice && isDiskId(id)) await releaseDevices(imageOf(cloud.disk(id)));
      return {};
    },
  };
}

function publishedCalls(cloud: CloudDirectory): Pick<CsiNodeService, "nodeGetVolumeStats" | "nodeExpandVolume"> {
  return {
    async nodeGetVolumeStats({ volumeId, volumePath }) {
      required(volumeId, "volume_id");
      required(volumePath, "volume_path");
      const { capacityBytes } = existingDisk(await cloud.readBooks(), volumeId);
      const kind = await kindAt(volumePath);
      if (kind === undefined || !(await isMounted(volumePath)))
        throw new RpcError("NOT_FOUND", `volume ${volumeId} is not published at ${volumePath}`);
      if (kind === "other") return { usage: [{ available: 0, used: 0, total: capacityBytes, unit: "BYTES" }] };
      const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(volumePath);
      const bytes = { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize };
      return {
        usage: [
          { ...bytes, unit: "BYTES" },
          { total: files, used: files - ffree, available: ffree, unit: "INODES" },
        ],
      };
    },
    async nodeExpandVolume({ volumeId, volumePath, stagingTargetPath }) {
      required(volumeId, "volume_id");
      required(volumePath, "volume_path");
      const { capacityBytes } = existingDisk(await cloud.readBooks(), volumeId);
      const mounted = [volumePath, stagingTargetPath].filter((path) => path !== "");
      if (!(await Promise.all(mounted.map(isMounted))).includes(true))
        throw new RpcError("NOT_FOUND", `volume ${volumeId} is not published at ${volumePath}`);
      for (const device of await loopsOf(imageOf(cloud.disk(volumeId)))) {
        await runCommand("losetup", ["--set-capacity", device]);
        if ((await kindAt(volumePath)) === "directory") await growMounted(device);
      }
      return { capacityBytes };
    },
  };
}

function createTurns(): (work: () => Promise<void>) => Promise<void> {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
}

/** Some hosts reserve the right to grow a mounted file system (CAP_SYS_RESOURCE). */
async function growMounted(device: string): Promise<void> {
  try {
    await runCommand("resize2fs", [device]);
  } catch (error) {
    if (!(error as Error).message.includes("Permission denied")) throw error;
    throw new RpcError(
      "FAILED_PRECONDITION",
      "this host cannot grow a mounted file system; the file system grows when the volume is staged",
      {
        cause: error,
      },
    );
  }
}

function notAttached(id: string, nodeId: string): RpcError {
  return new RpcError("FAILED_PRECONDITION", `volume ${id} is not attached to node ${nodeId}`);
}

async function isMounted(path: string): Promise<boolean> {
  return (await mountPoints()).includes(path);
}

async function publishDirectory(staging: string, target: string, readonly: boolean): Promise<void> {
  if (!(await isMounted(staging))) throw new RpcError("FAILED_PRECONDITION", `nothing is staged at ${staging}`);
  await mkdir(target, { recursive: true, mode: 0o750 });
  await runCommand("mount", ["--bind", staging, target]);
  if (readonly) await runCommand("mount", ["-o", "remount,bind,ro", target]);
}

async function publishDevice(image: string, target: string, readonly: boolean): Promise<void> {
  const [present] = await loopsOf(image);
  const options = ["--find", "--show", ...(readonly ? ["--read-only"] : []), image];
  const device = present ?? (await runCommand("losetup", options)).trim();
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await writeFile(target, "", { flag: "a" });
  await runCommand("mount", ["--bind", device, target]);
}

/** The device is removed after the last pod's bind mount of the device. */
async function releaseDevices(image: string): Promise<void> {
  for (const device of await loopsOf(image)) await runCommand("losetup", ["--detach", device]);
}

async function unmount(path: string): Promise<void> {
  if (await isMounted(path)) await runCommand("umount", [path]);
}

/** Removes a mount point. A directory with files in it is not a mount point and remains. */
async function removeEmpty(path: string): Promise<void> {
  const kind = await kindAt(path);
  if (kind === "directory") await rmdir(path);
  else if (kind !== undefined) await rm(path, { force: true });
}

async function kindAt(path: string): Promise<"directory" | "other" | undefined> {
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  return info.isDirectory() ? "directory" : "other";
}
