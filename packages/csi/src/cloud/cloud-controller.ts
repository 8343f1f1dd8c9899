import type { CsiController } from "../csi-driver.ts";
import { RpcError } from "@kintsugi/grpc";
import type { ControllerCapability, CsiVolume } from "../messages.ts";
import { attachDisk, detachDisk } from "./attach-disk.ts";
import { latencyMsOf, withAttributes } from "./attributes.ts";
import { capabilityFault, capacityFor, type Cloud, createDisk, zoneKey } from "./create-disk.ts";
import { type CloudDisk, freeBytes, withDisk, withoutDisk } from "./books.ts";
import type { CloudControllerDeps, CloudParts } from "./disk-media.ts";
import { pageOf } from "./pages.ts";
import { existingDisk, required } from "./required.ts";
import { snapshotCalls } from "./snapshot-calls.ts";

const capabilities: readonly ControllerCapability[] = [
  "CREATE_DELETE_VOLUME",
  "PUBLISH_UNPUBLISH_VOLUME",
  "LIST_VOLUMES",
  "LIST_VOLUMES_PUBLISHED_NODES",
  "GET_CAPACITY",
  "CREATE_DELETE_SNAPSHOT",
  "LIST_SNAPSHOTS",
  "CLONE_VOLUME",
  "PUBLISH_READONLY",
  "EXPAND_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
  "MODIFY_VOLUME",
];

/** The Controller service of a cloud with books. Changes happen one after another. */
export function createCloudController(deps: CloudControllerDeps): CsiController {
  const parts = { ...deps, inTurn: inTurnOf(deps) };
  return {
    ...diskCalls(parts),
    ...modificationCalls(parts),
    ...attachmentCalls(parts),
    ...queryCalls(parts),
    ...snapshotCalls(parts),
    controllerGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
  };
}

function diskCalls({
  media,
  random,
  inTurn,
}: CloudParts): Pick<CsiController, "createVolume" | "deleteVolume" | "controllerExpandVolume"> {
  return {
    createVolume: (request) =>
      inTurn(async () => {
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = createDisk(books, cloud, { request, newId: `vol-${random.uuid()}` });
        const present = books.disks[disk.id];
        // The medium is made first, because a disk in the books always has a medium.
        if (present === undefined) await media.provide(disk, books);
        if (present !== disk) await media.writeBooks(withDisk(books, disk));
        return { volume: volumeOf(disk, cloud) };
      }),
    deleteVolume: ({ volumeId }) =>
      inTurn(async () => {
        required(volumeId, "volume_id");
        const books = await media.readBooks();
        const disk = books.disks[volumeId];
        if (disk?.attachment !== undefined)
          throw new RpcError("FAILED_PRECONDITION", `volume ${volumeId} is attached to node ${disk.attachment.nodeId}`);
        if (disk !== undefined) await media.writeBooks(withoutDisk(books, volumeId));
        // A disk that is not in the books may have left its medium behind in a crash.
        if (isDiskId(volumeId)) await media.remove(volumeId);
        return {};
      }),
    controllerExpandVolume: ({ volumeId, capacityRange }) =>
      inTurn(async () => {
        required(volumeId, "volume_id");
        if (capacityRange === undefined) throw new RpcError("INVALID_ARGUMENT", "capacity_range is required");
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = existingDisk(books, volumeId);
        const capacityBytes = capacityFor(capacityRange, cloud.options);
        const nodeExpansionRequired = !disk.isBlock;
        if (capacityBytes <= disk.capacityBytes) return { capacityBytes: disk.capacityBytes, nodeExpansionRequired };
        if (capacityBytes - disk.capacityBytes > freeBytes(books, disk.zone, cloud.options))
          throw new RpcError("OUT_OF_RANGE", `zone ${disk.zone} has no room for ${capacityBytes} bytes`);
        const grown = { ...disk, capacityBytes };
        await media.resize(grown);
        await media.writeBooks(withDisk(books, grown));
        return { capacityBytes, nodeExpansionRequired };
      }, volumeId),
  };
}

function modificationCalls({ media, inTurn }: CloudParts): Pick<CsiController, "controllerModifyVolume"> {
  return {
    controllerModifyVolume: ({ volumeId, mutableParameters }) =>
      inTurn(async () => {
        required(volumeId, "volume_id");
        const books = await media.readBooks();
        const disk = existingDisk(books, volumeId);
        const modified = withAttributes(disk, mutableParameters);
        if (modified !== disk) await media.writeBooks(withDisk(books, modified));
        return {};
      }, volumeId),
  };
}

function attachmentCalls({
  media,
  inTurn,
}: CloudParts): Pick<CsiController, "controllerPublishVolume" | "controllerUnpublishVolume"> {
  return {
    controllerPublishVolume: (request) =>
      inTurn(async () => {
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = attachDisk(books, cloud, request);
        if (disk !== books.disks[disk.id]) await media.writeBooks(withDisk(books, disk));
        // A detachment that a crash interrupted has left a disk that is attached only in the books.
        await media.attach(disk);
        return { publishContext: { zone: disk.zone } };
      }, request.volumeId),
    controllerUnpublishVolume: (request) =>
      inTurn(async () => {
        const books = await media.readBooks();
        const detached = detachDisk(books, request);
        if (detached === undefined) return {};
        await media.cutOff(detached);
        await media.writeBooks(withDisk(books, detached));
        return {};
      }, request.volumeId),
  };
}

function queryCalls({
  media,
}: CloudParts): Pick<CsiController, "validateVolumeCapabilities" | "listVolumes" | "getCapacity"> {
  return {
    async validateVolumeCapabilities({ volumeId, volumeCapabilities }) {
      required(volumeId, "volume_id");
      if (volumeCapabilities.length === 0) throw new RpcError("INVALID_ARGUMENT", "volume_capabilities are required");
      existingDisk(await media.readBooks(), volumeId);
      const message = capabilityFault(volumeCapabilities);
      return message === undefined ? { confirmed: { volumeCapabilities }, message: "" } : { message };
    },
    async listVolumes(request) {
      const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
      const { page, nextToken } = pageOf(Object.values(books.disks), request);
      const entries = page.map((disk) => ({
        volume: { ...volumeOf(disk, cloud), volumeContext: { ...disk.attributes } },
        status: { publishedNodeIds: disk.attachment === undefined ? [] : [disk.attachment.nodeId] },
      }));
      return { entries, nextToken };
    },
    async getCapacity({ accessibleTopology }) {
      const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
      const zone = accessibleTopology?.segments[zoneKey(cloud.driverName)];
      const zones = zone === undefined ? [...new Set(cloud.nodes.map((node) => node.zone))] : [zone];
      return { availableCapacity: zones.reduce((sum, each) => sum + freeBytes(books, each, cloud.options), 0) };
    },
  };
}

/** The IDs that this driver assigns; another ID may be a path to another directory. */
export function isDiskId(id: string): boolean {
  return /^vol-[0-9a-f-]{36}$/.test(id);
}

function volumeOf({ id, capacityBytes, zone, fromSnapshot, fromVolume }: CloudDisk, { driverName }: Cloud): CsiVolume {
  return {
    volumeId: id,
    capacityBytes,
    volumeContext: {},
    accessibleTopology: zone === "" ? [] : [{ segments: { [zoneKey(driverName)]: zone } }],
    ...(fromSnapshot === undefined ? {} : { contentSource: { snapshot: { snapshotId: fromSnapshot } } }),
    ...(fromVolume === undefined ? {} : { contentSource: { volume: { volumeId: fromVolume } } }),
  };
}

function inTurnOf({ media, clock }: CloudControllerDeps): CloudParts["inTurn"] {
  let before: Promise<unknown> = Promise.resolve();
  return async (task, diskId = "") => {
    const disk = diskId === "" ? undefined : (await media.readBooks()).disks[diskId];
    if (disk !== undefined && latencyMsOf(disk) > 0) await clock.sleep(latencyMsOf(disk));
    const mine = before.then(task);
    before = mine.catch(() => {});
    return mine;
  };
}
