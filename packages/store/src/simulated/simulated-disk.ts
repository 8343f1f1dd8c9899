import type { Random } from "@kintsugi/clock";
import type { Disk, DiskFile, Engine, EngineOperation, EngineRecord, KeyRange, WriteOptions } from "../disk/disk.ts";
import { StoreCorrupt, StoreInUse } from "../store.ts";
import { applyBatch, copyOf, type DiskContent, RecordMap } from "./disk-content.ts";

/** The remains of unsynced writes after a power failure. */
export type UnsyncedFate = "lost" | "kept" | "torn";

export interface SimulatedDiskDeps {
  /** Decides where unsynced data is torn. */
  random: Random;
  /** A promise that a step waits for before it completes; default none. */
  delay?: (step: DiskStepKind) => Promise<void> | undefined;
}

export type DiskStepKind = "read" | "write" | "sync" | "answer";

/** One operation of a disk, before and after which a process may die. */
export interface DiskStep {
  /** Counts from 1. */
  readonly number: number;
  readonly kind: DiskStepKind;
  /** A file's name, or "log". */
  readonly about: string;
}

/** A write that a sync has not made durable yet. */
interface Unsynced {
  /** "" for the engine. */
  readonly file: string;
  /**
   * The number of surviving bytes does not matter to the engine, whose own checksums drop torn
   * data.
   */
  apply(content: DiskContent, bytes?: number): unknown;
  readonly byteLength: number;
}

const engineFile = "";
const logName = "log";

// A write is stored in `#cache` immediately and in `#durable` with the sync, as in a kernel. Every
// operation consists of steps:
//
//   engine.write   1 write   2 sync   3 answer          overwrite   1 write   2 sync   3 answer
//
// `cutPowerAt(2)` stops before the second step: the batch is appended but not synced, and callers
// never get an answer. After a failed sync, the data remains in the cache, where it counts as
// clean, so later syncs do not write it to the disk either.

/**
 * A data directory in memory that can lose power, fail, fill up, and report a sync that was not
 * done.
 */
export class SimulatedDisk implements Disk {
  readonly name = "simulated disk";
  /** The number of bytes that can still be written. */
  free = Number.MAX_SAFE_INTEGER;
  /** The part of the disk that reports syncs as done without performing them. */
  lyingAbout: "engine" | "files" | "everything" | undefined;
  /**
   * Called before each step; may halt the disk, and a step fails with the error that the function
   * throws.
   */
  onStep: ((step: DiskStep) => void) | undefined;
  readonly #deps: SimulatedDiskDeps;
  #durable: DiskContent;
  #cache: DiskContent;
  #unsynced: Unsynced[] = [];
  #steps = 0;
  #cutAt = Infinity;
  readonly #failures = new Map<number, Error>();
  #open = false;
  /** Bytes that were deleted and not yet released. */
  #garbageBytes = 0;
  #halted = false;
  #broken: Error | undefined;
  #onPowerLost: () => void = () => {};
  /** Resolves when the power has failed. */
  readonly powerLost: Promise<void>;

  constructor(deps: SimulatedDiskDeps, content: DiskContent = { files: new Map(), records: undefined }) {
    this.#deps = deps;
    this.#durable = content;
    this.#cache = copyOf(content);
    this.powerLost = new Promise((resolve) => (this.#onPowerLost = resolve));
  }

  /** The number of steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** The records of the engine, to inspect and to damage. */
  get records(): Map<string, Buffer> {
    return (this.#cache.records ??= new RecordMap());
  }

  get files(): Map<string, Buffer> {
    return this.#cache.files;
  }

  /**
   * The power fails just before this step (1 is the first): this step and all later steps never
   * answer.
   */
  cutPowerAt(step: number): void {
    this.#cutAt = step;
  }

  /** This step fails; data that was written before it may be present or not. */
  failAt(step: number, error: Error): void {
    this.#failures.set(step, error);
  }

  /** Stops all answers, because the process that had the disk open is dead. */
  halt(): void {
    this.#halted = true;
    this.#onPowerLost();
  }

  /** The machine restarts with the same disk, and with that outcome for unsynced data. */
  restart(fate: UnsyncedFate): SimulatedDisk {
    const content = copyOf(this.#durable);
    let isLogTorn = false;
    for (const unsynced of this.#unsynced) {
      if (fate === "kept") unsynced.apply(content);
      if (fate === "torn") {
        const bytes = this.#deps.random.integer(unsynced.byteLength + 1);
        // A torn log ends at the tear, so that its later records are lost.
        if (unsynced.file === engineFile) isLogTorn ||= bytes < unsynced.byteLength;
        if (unsynced.file !== engineFile || !isLogTorn) unsynced.apply(content, bytes);
      }
    }
    return this.#successor(new SimulatedDisk(this.#deps, content));
  }

  /**
   * Returns the disk that the next process finds when this process was killed and the kernel still
   * runs: every write, synced or not.
   */
  afterKill(): SimulatedDisk {
    const next = this.#successor(new SimulatedDisk(this.#deps, copyOf(this.#durable)));
    next.#cache = copyOf(this.#cache);
    next.#unsynced = [...this.#unsynced];
    return next;
  }

  async list(): Promise<readonly string[]> {
    await this.#step("read", ".");
    return [...this.#cache.files.keys(), ...(this.#cache.records ? [logName] : [])];
  }

  async readFile(name: string): Promise<Uint8Array | undefined> {
    await this.#step("read", name);
    const bytes = this.#cache.files.get(name);
    return bytes && Buffer.from(bytes);
  }

  async replaceFile(name: string, bytes: Uint8Array): Promise<void> {
    const copy = Buffer.from(bytes);
    await this.#step("write", name);
    // The content is synced before the new name, so an incomplete file is never visible.
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.set(name, copy) });
    await this.#sync(name);
  }

  async openFile(name: string, { sync }: WriteOptions): Promise<DiskFile> {
    await this.#step("read", name);
    if (!this.#cache.files.has(name)) throw new Error(`${name} does not exist`);
    return {
      overwrite: async (offset, bytes) => {
        await this.#overwrite(name, offset, Buffer.from(bytes));
        if (sync) await this.#sync(name);
      },
      close: async () => {},
    };
  }

  async reserveFile(name: string, byteLength: number): Promise<void> {
    await this.#step("write", name);
    this.#takeRoom(byteLength);
    const zeros = Buffer.alloc(byteLength);
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.set(name, zeros) });
  }

  async removeFile(name: string): Promise<void> {
    await this.#step("write", name);
    this.free += this.#cache.files.get(name)?.length ?? 0;
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.delete(name) });
    await this.#sync(name);
  }

  freeBytes(): number {
    return this.free;
  }

  async openEngine(options: { create: boolean }): Promise<Engine> {
    await this.#step("read", logName);
    if (this.#open) throw new StoreInUse("the data directory is in use by another process");
    if (!this.#cache.records) {
      if (!options.create) throw new StoreCorrupt("the engine does not exist");
      this.#write({ file: engineFile, byteLength: 1, apply: (content) => (content.records = new RecordMap()) });
    }
    await this.#recoverEngine();
    this.#open = true;
    return {
      write: (operations, { sync }) => this.#writeBatch(operations, sync),
      readPage: (range, limit) => this.#readPage(range, limit),
      compactRange: () => this.#compactRange(),
      close: async () => {
        this.#open = false;
      },
    };
  }

  /**
   * LevelDB writes the contents of its log into a table, synced, before it serves, including data
   * that was never synced before.
   */
  async #recoverEngine(): Promise<void> {
    await this.#sync(engineFile);
    if (!this.#isLyingAbout(engineFile)) this.#durable.records = RecordMap.of(this.records);
  }

  async #writeBatch(operations: readonly EngineOperation[], sync: boolean): Promise<void> {
    const copies = operations.map((o) => (o.type === "put" ? { ...o, value: Buffer.from(o.value) } : o));
    // The engine rejects all operations after one error until it is opened again, as LevelDB does.
    if (this.#broken) throw this.#broken;
    try {
      await this.#step("write", logName);
      const byteLength = copies.reduce((sum, o) => sum + o.key.length + (o.type === "put" ? o.value.length : 0), 1);
      this.#takeRoom(byteLength);
      const unsynced = { file: engineFile, byteLength, apply: (content: DiskContent) => applyBatch(content, copies) };
      this.#garbageBytes += unsynced.apply(this.#cache);
      this.#unsynced.push(unsynced);
      if (sync) await this.#sync(engineFile);
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  async #readPage(range: KeyRange, limit: number): Promise<readonly EngineRecord[]> {
    await this.#step("read", logName);
    const { records } = this;
    // Records that were set from outside arrive as an ordinary map.
    const ordered = records instanceof RecordMap ? records : RecordMap.of(records);
    return ordered.page(range, limit).map((key) => ({ key, value: Buffer.from(ordered.get(key) ?? []) }));
  }

  async #compactRange(): Promise<void> {
    await this.#step("write", logName);
    this.free += this.#garbageBytes;
    this.#garbageBytes = 0;
  }

  async #overwrite(name: string, offset: number, bytes: Buffer): Promise<void> {
    await this.#step("write", name);
    const before = this.#cache.files.get(name);
    const overwrite = (old: Buffer | undefined, survived: number) => {
      const file = Buffer.from(old ?? []);
      bytes.copy(file, offset, 0, survived);
      return file;
    };
    const after = overwrite(before, bytes.length);
    const apply = ({ files }: DiskContent, survived = bytes.length) => {
      // Usually the disk has the same content as the cache.
      const isSame = files.get(name) === before && survived === bytes.length;
      files.set(name, isSame ? after : overwrite(files.get(name), survived));
    };
    this.#write({ file: name, byteLength: bytes.length, apply });
  }

  #write(unsynced: Unsynced): void {
    unsynced.apply(this.#cache);
    this.#unsynced.push(unsynced);
  }

  async #sync(file: string): Promise<void> {
    const about = file === engineFile ? logName : file;
    const isOther = (unsynced: Unsynced) => unsynced.file !== file;
    try {
      await this.#step("sync", about);
    } catch (error) {
      this.#unsynced = this.#unsynced.filter(isOther);
      throw error;
    }
    if (!this.#isLyingAbout(file)) {
      for (const unsynced of this.#unsynced) if (!isOther(unsynced)) unsynced.apply(this.#durable);
      this.#unsynced = this.#unsynced.filter(isOther);
    }
    await this.#step("answer", about);
  }

  #isLyingAbout(file: string): boolean {
    return this.lyingAbout === "everything" || this.lyingAbout === (file === engineFile ? "engine" : "files");
  }

  #takeRoom(byteLength: number): void {
    if (byteLength > this.free) throw new Error("ENOSPC: no space left on device");
    this.free -= byteLength;
  }

  #successor(next: SimulatedDisk): SimulatedDisk {
    this.halt();
    next.free = this.free;
    next.#garbageBytes = this.#garbageBytes;
    next.lyingAbout = this.lyingAbout;
    return next;
  }

  async #step(kind: DiskStepKind, about: string): Promise<void> {
    await this.#deps.delay?.(kind);
    if (!this.#halted) {
      this.#steps++;
      this.onStep?.({ number: this.#steps, kind, about });
      if (this.#steps >= this.#cutAt) this.halt();
    }
    if (this.#halted) await new Promise(() => {});
    const failure = this.#failures.get(this.#steps);
    if (failure) throw failure;
  }
}
