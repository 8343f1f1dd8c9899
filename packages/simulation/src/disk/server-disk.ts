import type { Clock, Random } from "@kintsugi/clock";
import { LevelStore, type LevelStoreOptions, type Store, StoreCorrupt } from "@kintsugi/store";
import { type DiskStepKind, restoreSnapshotOn, SimulatedDisk, type UnsyncedFate } from "@kintsugi/store/simulated";
import { type Incarnation, never } from "../process/incarnation.ts";
import { CommittedLog } from "./committed-log.ts";
import { CrashPoints } from "./crash-points.ts";
import type { ServerStorage } from "./server-storage.ts";
import { storeSession } from "./store-session.ts";

export interface ServerDiskOptions {
  /**
   * Longest duration of a sync; the duration of each sync is random. Default 0: written data is on
   * the disk immediately.
   */
  syncMaxMs: number;
  /**
   * Time for which changes are retained for watches that resume. Default: 5 min, as in production.
   */
  windowMs: number;
  /**
   * Number of changes of a resource that are retained at any age. Default: 1,000, as in production.
   */
  windowEventsMin: number;
}

const defaults: ServerDiskOptions = { syncMaxMs: 0, windowMs: 300_000, windowEventsMin: 1000 };
/** Enough space for a few hours with compaction, and soon full without compaction. */
const roomBytes = 256 * 2 ** 20;
const storeOptions: LevelStoreOptions = {
  windowEventsMaxByResource: { "coordination.k8s.io/leases": 1000 },
  freeBytesMin: 2 ** 20,
  ballastBytes: 2 ** 20,
};

/** The disk of the api-server's machine, with the real store on it: unsynced data can be lost. */
export class ServerDisk implements ServerStorage {
  readonly committed = new CommittedLog();
  store: Store | undefined;
  /** The points at which the process that uses the disk may die. */
  readonly crashPoints = new CrashPoints();
  readonly #deps: { clock: Clock; random: Random };
  readonly #options: ServerDiskOptions;
  #disk: SimulatedDisk;
  /** The incarnation of the process that uses the disk. */
  #incarnation: Incarnation | undefined;
  #powerCut: UnsyncedFate | undefined;
  readonly #slowness = new Set<{ minMs: number; maxMs: number }>();
  #isDamaged = false;
  #syncError: Error | undefined;

  constructor(deps: { clock: Clock; random: Random }, options: Partial<ServerDiskOptions> = {}) {
    this.#deps = deps;
    this.#options = { ...defaults, ...options };
    this.#disk = new SimulatedDisk({ random: deps.random, delay: (kind) => this.#delay(kind) });
    this.#disk.free = roomBytes;
    this.#use(this.#disk);
  }

  /** The present disk, which is replaced after each incarnation of the process. */
  get disk(): SimulatedDisk {
    return this.#disk;
  }

  /** Verifies and reads the disk's contents, as the real api-server does when it starts. */
  async open(incarnation: Incarnation, clock: Clock): Promise<Store> {
    const disk = this.#disk;
    this.#incarnation = incarnation;
    incarnation.onEnd(() => this.#leave());
    const { random } = this.#deps;
    const { windowMs, windowEventsMin } = this.#options;
    try {
      this.store = await LevelStore.openOn(disk, { clock, random }, { ...storeOptions, windowMs, windowEventsMin });
    } catch (error) {
      if (!incarnation.ended && error instanceof StoreCorrupt && !this.#isDamaged) this.committed.refused(error);
      throw error;
    }
    if (incarnation.ended) return never();
    const { store } = this;
    this.committed.opened(store);
    incarnation.onEnd(() => this.committed.left());
    store.subscribe(() => this.crashPoints.pass("publish"));
    return storeSession(store, incarnation, this.committed);
  }

  /** The next end of the process is a power cut, with this fate for unsynced data. */
  expectPowerCut(fate: UnsyncedFate): void {
    this.#powerCut = fate;
  }

  /** Returns the disk's present contents, to be restored later. */
  image(): SimulatedDisk {
    const image = this.#disk.afterKill();
    this.#use(this.#disk.afterKill());
    return image;
  }

  /** Restores earlier contents; the disk must not be open. */
  restore(image: SimulatedDisk): void {
    this.#isDamaged = false;
    this.#use(image);
  }

  /** Loses the contents, and restores a snapshot on an empty disk; the disk must not be open. */
  async restoreSnapshot(snapshot: AsyncIterable<Uint8Array>): Promise<void> {
    const { random } = this.#deps;
    const disk = new SimulatedDisk({ random });
    await restoreSnapshotOn(disk, { random, snapshot });
    this.restore(disk);
  }

  /** The disk was damaged, so its rejection is correct until the contents are restored. */
  expectRefusal(): void {
    this.#isDamaged = true;
  }

  /**
   * Makes each sync take this much longer from now on, in addition to other delays.
   * @returns a function that ends the delay.
   */
  slow(by: { minMs: number; maxMs: number }): () => void {
    const slowness = { ...by };
    this.#slowness.add(slowness);
    return () => this.#slowness.delete(slowness);
  }

  /**
   * Fills the disk except for this amount. @returns a function that frees the space; undefined if
   * less is free.
   */
  fill(leftBytes: number): (() => void) | undefined {
    const takenBytes = this.#disk.free - leftBytes;
    if (takenBytes <= 0) return undefined;
    this.#disk.free -= takenBytes;
    return () => (this.#disk.free += takenBytes);
  }

  /** The next sync fails. */
  failNextSync(error: Error): void {
    this.#syncError = error;
  }

  /**
   * The process has ended. The next process finds its writes or, after a power cut, its synced
   * writes.
   */
  #leave(): void {
    const fate = this.#powerCut;
    this.#powerCut = undefined;
    this.#use(fate === undefined ? this.#disk.afterKill() : this.#disk.restart(fate));
  }

  #use(disk: SimulatedDisk): void {
    this.#disk = disk;
    disk.onStep = ({ kind, about }) => {
      this.crashPoints.pass(`${kind} ${about}`);
      const error = this.#syncError;
      if (kind !== "sync" || error === undefined) return;
      this.#syncError = undefined;
      throw error;
    };
  }

  /**
   * The requests of a paused process may finish in the meantime; the process receives the results
   * when it continues.
   */
  #delay(kind: DiskStepKind): Promise<void> | undefined {
    const ms = kind === "sync" ? this.#syncMs() : 0;
    return ms > 0 ? this.#deps.clock.sleep(ms).then(() => this.#incarnation?.awake()) : this.#incarnation?.awake();
  }

  #syncMs(): number {
    const { random } = this.#deps;
    const { syncMaxMs } = this.#options;
    let ms = syncMaxMs > 0 ? random.integer(syncMaxMs + 1) : 0;
    for (const { minMs, maxMs } of this.#slowness) ms += minMs + random.integer(maxMs - minMs + 1);
    return ms;
  }
}
