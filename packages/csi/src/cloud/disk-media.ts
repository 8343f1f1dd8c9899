import type { Clock, Random } from "@kintsugi/clock";
import type { Books, CloudDisk, DiskSnapshot } from "./books.ts";
import type { Cloud } from "./create-disk.ts";

/** The books and the media behind them. */
export interface DiskMedia {
  readBooks(): Promise<Books>;
  /** The change survives a crash once the promise has resolved. */
  writeBooks(books: Books): Promise<void>;
  listCloud(): Promise<Cloud>;
  /** Makes the medium of a new disk, with the content of its source; an existing medium remains. */
  provide(disk: CloudDisk, books: Books): Promise<void>;
  /** Grows the medium. */
  resize(disk: CloudDisk): Promise<void>;
  remove(diskId: string): Promise<void>;
  /** Copies the source's medium; an incomplete copy of an earlier attempt is replaced. */
  snapshot(snapshot: DiskSnapshot): Promise<void>;
  removeSnapshot(id: string): Promise<void>;
  /** Lets the node use the disk. The books already have the attachment. */
  attach(disk: CloudDisk): Promise<void>;
  /**
   * Ensures that processes of all nodes can no longer write to the disk; written data is not lost.
   */
  cutOff(disk: CloudDisk): Promise<void>;
}

export interface CloudControllerDeps {
  readonly media: DiskMedia;
  readonly clock: Clock;
  readonly random: Random;
}

/** Dependencies that the calls share. */
export interface CloudParts extends CloudControllerDeps {
  /**
   * Starts each task only after the previous task has ended. A task about a slow disk starts after
   * the disk's delay, and does not block other tasks until then.
   */
  readonly inTurn: <T>(task: () => Promise<T>, diskId?: string) => Promise<T>;
}
