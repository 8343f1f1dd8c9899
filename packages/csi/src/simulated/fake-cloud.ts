import type { Clock, Random } from "@kintsugi/clock";
import type { CsiController, CsiDriver, CsiIdentity, CsiNodeService } from "../csi-driver.ts";
import { RpcError } from "@kintsugi/grpc";
import {
  type CloudNode,
  cloudDefaults,
  type CloudOptions,
  type CloudDisk,
  type DiskSnapshot,
  emptyBooks,
  type Books,
} from "../cloud/books.ts";
import { createCloudController } from "../cloud/cloud-controller.ts";
import { existingDisk, required, requiredCapability } from "../cloud/required.ts";
import { zoneKey } from "../cloud/create-disk.ts";

export interface FakeCloudOptions extends Partial<CloudOptions> {
  readonly driverName?: string;
}

/** The mounts of a fake node: the volume at each path, and whether it is writable there. */
type Mounts = Map<string, { volumeId: string; readonly: boolean }>;

/**
 * A cloud in memory, for tests and simulations: its books are the books of the lab's driver, and
 * nodes record their mounts.
 */
export class FakeCloud {
  readonly driverName: string;
  readonly controller: CsiIdentity & CsiController;
  readonly #nodes = new Map<string, CloudNode>();
  readonly #mounts = new Map<string, { staged: Mounts; published: Mounts }>();
  readonly #options: CloudOptions;
  #books: Books = emptyBooks;
  readonly #copies = new Set<string>();

  constructor(deps: { clock: Clock; random: Random }, { driverName, ...options }: FakeCloudOptions = {}) {
    this.driverName = driverName ?? "fake.csi.kintsugi.dev";
    this.#options = { ...cloudDefaults, ...options };
    const done = () => Promise.resolve();
    const media = {
      readBooks: () => Promise.resolve(this.#books),
      writeBooks: (books: Books) => {
        this.#books = books;
        return Promise.resolve();
      },
      listCloud: () =>
        Promise.resolve({ driverName: this.driverName, nodes: [...this.#nodes.values()], options: this.#options }),
      provide: done,
      resize: done,
      remove: done,
      snapshot: async ({ id }: DiskSnapshot) => void this.#copies.add(id),
      removeSnapshot: async (id: string) => void this.#copies.delete(id),
      attach: done,
      cutOff: done,
    };
    this.controller = { ...this.#identity(), ...createCloudController({ media, ...deps }) };
  }

  /** Returns the disks, in the order in which they were created. */
  get disks(): readonly CloudDisk[] {
    return Object.values(this.#books.disks);
  }

  /** Returns the snapshots, in the order in which they were taken. */
  get snapshots(): readonly DiskSnapshot[] {
    return Object.values(this.#books.snapshots);
  }

  /**
   * Returns the IDs of the copies that snapshots have made, whether they are in the books or not.
   */
  get copies(): readonly string[] {
    return [...this.#copies];
  }

  /** Returns the nodes at which a pod could currently write to the volume. */
  writersOf(volumeId: string): string[] {
    const attachedTo = this.#books.disks[volumeId]?.attachment?.nodeId;
    return [...this.#mounts].flatMap(([node, { published }]) =>
      node === attachedTo && [...published.values()].some((each) => each.volumeId === volumeId && !each.readonly)
        ? [node]
        : [],
    );
  }

  /** Adds a machine, or restarts it without mounts. Returns its part of the driver. */
  addNode(node: CloudNode): CsiIdentity & CsiNodeService {
    this.#nodes.set(node.id, node);
    const mounts = { staged: new Map(), published: new Map() };
    this.#mounts.set(node.id, mounts);
    return { ...this.#identity(), ...this.#nodeService(node, mounts) };
  }

  /** Returns all three services; the Node service is the service of this node. */
  driverOf(node: CloudNode): CsiDriver {
    return { ...this.controller, ...this.addNode(node) };
  }

  #identity(): CsiIdentity {
    return {
      getPluginInfo: async () => ({ name: this.driverName, vendorVersion: "0.1.0" }),
      getPluginCapabilities: async () => ({
        capabilities: [
          { service: { type: "CONTROLLER_SERVICE" } },
          { service: { type: "VOLUME_ACCESSIBILITY_CONSTRAINTS" } },
          { volumeExpansion: { type: "ONLINE" } },
        ],
      }),
      probe: async () => ({ ready: { value: true } }),
    };
  }

  #nodeService(
    { id: nodeId, zone }: CloudNode,
    { staged, published }: { staged: Mounts; published: Mounts },
  ): CsiNodeService {
    const requireAttached = (volumeId: string) => {
      if (existingDisk(this.#books, volumeId).attachment?.nodeId !== nodeId)
        throw new RpcError("FAILED_PRECONDITION", `volume ${volumeId} is not attached to node ${nodeId}`);
    };
    return {
      async nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability }) {
        required(volumeId, "volume_id");
        required(stagingTargetPath, "staging_target_path");
        requiredCapability(volumeCapability);
        requireAttached(volumeId);
        staged.set(stagingTargetPath, { volumeId, readonly: false });
        return {};
      },
      async nodeUnstageVolume({ volumeId, stagingTargetPath }) {
        required(volumeId, "volume_id");
        staged.delete(required(stagingTargetPath, "staging_target_path"));
        return {};
      },
      async nodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability, readonly }) {
        required(volumeId, "volume_id");
        required(targetPath, "target_path");
        requiredCapability(volumeCapability);
        required(stagingTargetPath, "staging_target_path");
        requireAttached(volumeId);
        if (staged.get(stagingTargetPath)?.volumeId !== volumeId)
          throw new RpcError("FAILED_PRECONDITION", `nothing is staged at ${stagingTargetPath}`);
        published.set(targetPath, { volumeId, readonly });
        return {};
      },
      async nodeUnpublishVolume({ volumeId, targetPath }) {
        required(volumeId, "volume_id");
        published.delete(required(targetPath, "target_path"));
        return {};
      },
      nodeGetVolumeStats: async ({ volumeId, volumePath }) => {
        required(volumeId, "volume_id");
        required(volumePath, "volume_path");
        const { capacityBytes } = this.#publishedDisk(published, { volumeId, volumePath });
        return {
          usage: [
            { total: capacityBytes, used: 0, available: capacityBytes, unit: "BYTES" },
            { total: 1000, used: 1, available: 999, unit: "INODES" },
          ],
        };
      },
      nodeExpandVolume: async ({ volumeId, volumePath }) => {
        required(volumeId, "volume_id");
        required(volumePath, "volume_path");
        return { capacityBytes: this.#publishedDisk(published, { volumeId, volumePath }).capacityBytes };
      },
      nodeGetCapabilities: async () => ({
        capabilities: [
          { rpc: { type: "STAGE_UNSTAGE_VOLUME" } },
          { rpc: { type: "GET_VOLUME_STATS" } },
          { rpc: { type: "EXPAND_VOLUME" } },
        ],
      }),
      nodeGetInfo: async () => ({
        nodeId,
        maxVolumesPerNode: this.#options.disksPerNodeMax,
        ...(zone === "" ? {} : { accessibleTopology: { segments: { [zoneKey(this.driverName)]: zone } } }),
      }),
    };
  }

  #publishedDisk(published: Mounts, { volumeId, volumePath }: { volumeId: string; volumePath: string }): CloudDisk {
    const disk = existingDisk(this.#books, volumeId);
    if (published.get(volumePath)?.volumeId !== volumeId)
      throw new RpcError("NOT_FOUND", `volume ${volumeId} is not published at ${volumePath}`);
    return disk;
  }
}
