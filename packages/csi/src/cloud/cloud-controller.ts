import type { Clock, Random } from "@kintsugi/clock";
import type { CsiController } from "../csi-driver.ts";
import { CsiError } from "../csi-error.ts";
import type { ControllerCapability, CsiSnapshot, CsiVolume } from "../messages.ts";
import { attachDisk, detachDisk } from "./attach-disk.ts";
import { capabilityFault, capacityFor, type Cloud, createDisk, zoneKey } from "./create-disk.ts";
import {
  type CloudDisk,
  type DiskSnapshot,
  freeBytes,
  type Books,
  withDisk,
  withoutDisk,
  withoutSnapshot,
  withSnapshot,
} from "./books.ts";
import { pageOf } from "./pages.ts";
import { existingDisk, required } from "./required.ts";

/** The books and the media behind them. */
export interface DiskMedia {
  readBooks(): Promise<Books>;
  /** The change survives a crash once this has resolved. */
  writeBooks(books: Books): Promise<void>;
  listCloud(): Promise<Cloud>;
  /** Makes the medium of a new disk, with the content of its source; one that is there stays. */
  provide(disk: CloudDisk, books: Books): Promise<void>;
  /** Grows the medium. */
  resize(disk: CloudDisk): Promise<void>;
  remove(diskId: string): Promise<void>;
  snapshot(snapshot: DiskSnapshot): Promise<void>;
  removeSnapshot(id: string): Promise<void>;
  /** Lets the node use the disk, which is attached to it in the books. */
  attach(disk: CloudDisk): Promise<void>;
  /** Sees that no process of any node can write to the disk any more; nothing written is lost. */
  cutOff(disk: CloudDisk): Promise<void>;
}

export interface CloudControllerDeps {
  readonly media: DiskMedia;
  readonly clock: Clock;
  readonly random: Random;
}

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
];

/** The Controller service of a cloud with books. Changes happen one after another. */
export function createCloudController(deps: CloudControllerDeps): CsiController {
  const parts = { ...deps, inTurn: turns() };
  return {
    ...diskCalls(parts),
    ...attachmentCalls(parts),
    ...queryCalls(parts),
    ...snapshotCalls(parts),
    controllerGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ rpc: { type } })) }),
  };
}

interface Parts extends CloudControllerDeps {
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
}

function diskCalls({
  media,
  random,
  inTurn,
}: Parts): Pick<CsiController, "createVolume" | "deleteVolume" | "controllerExpandVolume"> {
  return {
    createVolume: (request) =>
      inTurn(async () => {
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = createDisk(books, cloud, { request, newId: `vol-${random.uuid()}` });
        const isNew = books.disks[disk.id] === undefined;
        // The medium comes first: a disk in the books always has one.
        if (isNew) await media.provide(disk, books);
        if (isNew) await media.writeBooks(withDisk(books, disk));
        return { volume: volumeOf(disk, cloud) };
      }),
    deleteVolume: ({ volumeId }) =>
      inTurn(async () => {
        required(volumeId, "volume_id");
        const books = await media.readBooks();
        const disk = books.disks[volumeId];
        if (disk?.attachment !== undefined)
          throw new CsiError("FAILED_PRECONDITION", `volume ${volumeId} is attached to node ${disk.attachment.nodeId}`);
        if (disk !== undefined) await media.writeBooks(withoutDisk(books, volumeId));
        // A disk that is in no books may have left its medium behind in a crash.
        if (isDiskId(volumeId)) await media.remove(volumeId);
        return {};
      }),
    controllerExpandVolume: ({ volumeId, capacityRange }) =>
      inTurn(async () => {
        required(volumeId, "volume_id");
        if (capacityRange === undefined) throw new CsiError("INVALID_ARGUMENT", "capacity_range is required");
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = existingDisk(books, volumeId);
        const capacityBytes = capacityFor(capacityRange, cloud.options);
        const nodeExpansionRequired = !disk.isBlock;
        if (capacityBytes <= disk.capacityBytes) return { capacityBytes: disk.capacityBytes, nodeExpansionRequired };
        if (capacityBytes - disk.capacityBytes > freeBytes(books, disk.zone, cloud.options))
          throw new CsiError("OUT_OF_RANGE", `zone ${disk.zone} has no room for ${capacityBytes} bytes`);
        const grown = { ...disk, capacityBytes };
        await media.resize(grown);
        await media.writeBooks(withDisk(books, grown));
        return { capacityBytes, nodeExpansionRequired };
      }),
  };
}

function attachmentCalls({
  media,
  inTurn,
}: Parts): Pick<CsiController, "controllerPublishVolume" | "controllerUnpublishVolume"> {
  return {
    controllerPublishVolume: (request) =>
      inTurn(async () => {
        const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
        const disk = attachDisk(books, cloud, request);
        if (disk !== books.disks[disk.id]) await media.writeBooks(withDisk(books, disk));
        // A detachment that a crash cut short has left a disk that is attached in the books alone.
        await media.attach(disk);
        return { publishContext: { zone: disk.zone } };
      }),
    controllerUnpublishVolume: (request) =>
      inTurn(async () => {
        const books = await media.readBooks();
        const detached = detachDisk(books, request);
        if (detached === undefined) return {};
        await media.cutOff(detached);
        await media.writeBooks(withDisk(books, detached));
        return {};
      }),
  };
}

function queryCalls({
  media,
}: Parts): Pick<CsiController, "validateVolumeCapabilities" | "listVolumes" | "getCapacity"> {
  return {
    async validateVolumeCapabilities({ volumeId, volumeCapabilities }) {
      required(volumeId, "volume_id");
      if (volumeCapabilities.length === 0) throw new CsiError("INVALID_ARGUMENT", "volume_capabilities are required");
      existingDisk(await media.readBooks(), volumeId);
      const message = capabilityFault(volumeCapabilities);
      return message === undefined ? { confirmed: { volumeCapabilities }, message: "" } : { message };
    },
    async listVolumes(request) {
      const [books, cloud] = await Promise.all([media.readBooks(), media.listCloud()]);
      const { page, nextToken } = pageOf(Object.values(books.disks), request);
      const entries = page.map((disk) => ({
        volume: volumeOf(disk, cloud),
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

function snapshotCalls({
  media,
  clock,
  random,
  inTurn,
}: Parts): Pick<CsiController, "createSnapshot" | "deleteSnapshot" | "listSnapshots"> {
  return {
    createSnapshot: ({ name, sourceVolumeId }) =>
      inTurn(async () => {
        required(name, "name");
        required(sourceVolumeId, "source_volume_id");
        const books = await media.readBooks();
        const present = Object.values(books.snapshots).find((snapshot) => snapshot.name === name);
        if (present !== undefined && present.sourceVolumeId !== sourceVolumeId)
          throw new CsiError("ALREADY_EXISTS", `a snapshot of another volume has the name ${name}`);
        if (present !== undefined) return { snapshot: snapshotOf(present) };
        const disk = existingDisk(books, sourceVolumeId);
        const snapshot: DiskSnapshot = {
          id: `snap-${random.uuid()}`,
          name,
          sourceVolumeId,
          sizeBytes: disk.capacityBytes,
          createdAtMs: clock.nowMs(),
        };
        await media.snapshot(snapshot);
        await media.writeBooks(withSnapshot(books, snapshot));
        return { snapshot: snapshotOf(snapshot) };
      }),
    deleteSnapshot: ({ snapshotId }) =>
      inTurn(async () => {
        required(snapshotId, "snapshot_id");
        const books = await media.readBooks();
        if (books.snapshots[snapshotId] === undefined) return {};
        await media.writeBooks(withoutSnapshot(books, snapshotId));
        await media.removeSnapshot(snapshotId);
        return {};
      }),
    async listSnapshots(request) {
      const { snapshots } = await media.readBooks();
      const wanted = Object.values(snapshots).filter(
        ({ id, sourceVolumeId }) =>
          (request.snapshotId === "" || request.snapshotId === id) &&
          (request.sourceVolumeId === "" || request.sourceVolumeId === sourceVolumeId),
      );
      const { page, nextToken } = pageOf(wanted, request);
      return { entries: page.map((snapshot) => ({ snapshot: snapshotOf(snapshot) })), nextToken };
    },
  };
}

/** The IDs that this driver gives; any other may be a path that leads elsewhere. */
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

function snapshotOf({ id, sourceVolumeId, sizeBytes, createdAtMs }: DiskSnapshot): CsiSnapshot {
  const seconds = Math.floor(createdAtMs / 1000);
  const creationTime = { seconds, nanos: (createdAtMs - seconds * 1000) * 1_000_000 };
  return { snapshotId: id, sourceVolumeId, sizeBytes, creationTime, readyToUse: true };
}

/** Returns a function that lets one task begin only after the one before has ended. */
function turns(): <T>(task: () => Promise<T>) => Promise<T> {
  let before: Promise<unknown> = Promise.resolve();
  return (task) => {
    const mine = before.then(task);
    before = mine.catch(() => {});
    return mine;
  };
}
