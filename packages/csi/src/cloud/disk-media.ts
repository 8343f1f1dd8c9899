import type { Clock, Random } from "@kintsugi/clock";
import type { Books, CloudDisk, DiskSnapshot } from "./books.ts";
import type { Cloud } from "./create-disk.ts";

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
  /** Copies the source's medium; what an attempt before has left of the copy is replaced. */
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

/** Parts that the calls share. */
export interface CloudParts extends CloudControllerDeps {
  /**
   * Lets one task begin only after the one before has ended; a task about a disk begins as much
   * later as the disk is slow, and holds no other up until then.
   */
  readonly inTurn: <T>(task: () => Promise<T>, diskId?: string) => Promise<T>;
}
