import type { CsiAccessMode } from "../messages.ts";

// The books of a simulated cloud: its disks, their attachments and snapshots. All rules are pure
// functions from one state of the books to the next, so a driver writes the next state to its disk
// before it answers.
//
//   createVolume ─► disk ─attach(node)─► attached to one node ─detach─► disk ─delete─► gone
//                     └─ snapshot ─► snapshot ─ createVolume(source) ─► another disk

export interface CloudDisk {
  readonly id: string;
  readonly name: string;
  readonly capacityBytes: number;
  /** "" if the cloud has no zones. */
  readonly zone: string;
  readonly isBlock: boolean;
  readonly accessModes: readonly CsiAccessMode[];
  readonly fromSnapshot?: string;
  readonly fromVolume?: string;
  /** Attributes that may change, by their names in `attributes.ts`; absent if none was set. */
  readonly attributes?: Readonly<Record<string, string>>;
  readonly attachment?: { readonly nodeId: string; readonly readonly: boolean };
}

export interface DiskSnapshot {
  readonly id: string;
  readonly name: string;
  readonly sourceVolumeId: string;
  readonly sizeBytes: number;
  readonly createdAtMs: number;
}

export interface Books {
  /** Disks by ID, in the order in which they were created. */
  readonly disks: Readonly<Record<string, CloudDisk>>;
  readonly snapshots: Readonly<Record<string, DiskSnapshot>>;
}

/** A machine of the cloud. */
export interface CloudNode {
  readonly id: string;
  readonly zone: string;
}

export interface CloudOptions {
  /** Capacity of all disks of one zone together, in bytes. Default 1 TiB. */
  readonly zoneCapacityBytes: number;
  /** Capacity of one disk, in bytes. Default 16 TiB. */
  readonly diskBytesMax: number;
  /** Size of which each disk is a multiple, in bytes. Default 1 MiB. */
  readonly sizeStepBytes: number;
  /** Capacity of a disk for which the request does not specify a size. Default 1 GiB. */
  readonly defaultDiskBytes: number;
  /** Disks that one node can have. Default 64. */
  readonly disksPerNodeMax: number;
  /** Time after which a new snapshot is ready to be used, in milliseconds. Default 0. */
  readonly snapshotUploadMs: number;
}

const mebibyte = 1024 ** 2;

export const cloudDefaults: CloudOptions = {
  zoneCapacityBytes: 1024 ** 4,
  diskBytesMax: 16 * 1024 ** 4,
  sizeStepBytes: mebibyte,
  defaultDiskBytes: 1024 * mebibyte,
  disksPerNodeMax: 64,
  snapshotUploadMs: 0,
};

export const emptyBooks: Books = { disks: {}, snapshots: {} };

export function withDisk(books: Books, disk: CloudDisk): Books {
  return { ...books, disks: { ...books.disks, [disk.id]: disk } };
}

export function withoutDisk(books: Books, id: string): Books {
  return { ...books, disks: Object.fromEntries(Object.entries(books.disks).filter(([each]) => each !== id)) };
}

export function withSnapshot(books: Books, snapshot: DiskSnapshot): Books {
  return { ...books, snapshots: { ...books.snapshots, [snapshot.id]: snapshot } };
}

export function withoutSnapshot(books: Books, id: string): Books {
  return { ...books, snapshots: Object.fromEntries(Object.entries(books.snapshots).filter(([each]) => each !== id)) };
}

/** Returns the free bytes of a zone. */
export function freeBytes({ disks }: Books, zone: string, { zoneCapacityBytes }: CloudOptions): number {
  const used = Object.values(disks).reduce((sum, disk) => (disk.zone === zone ? sum + disk.capacityBytes : sum), 0);
  return Math.max(0, zoneCapacityBytes - used);
}
