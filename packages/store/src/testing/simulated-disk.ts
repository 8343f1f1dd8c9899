import type { Random } from "@kintsugi/clock";
import type { Disk, DiskFile, Engine, EngineOperation, EngineRecord, KeyRange } from "../disk/disk.ts";
import { StoreCorrupt, StoreInUse } from "../store.ts";

/** What a loss of power leaves of what was written but not synced. */
export type UnsyncedFate = "lost" | "kept" | "torn";

export interface SimulatedDiskDeps {
  /** Decides what is torn where. */
  random: Random;
  /** How long one step takes; default no time. */
  delay?: () => Promise<void>;
}

interface DiskContent {
  files: Map<string, Buffer>;
  /** Undefined until the engine was first opened. */
  records: Map<string, Buffer> | undefined;
}

/** Something written that a sync has not yet made durable. */
interface Unsynced {
  /** "" for the engine. */
  readonly file: string;
  /** How many bytes of it survive does not matter to the engine, whose own checksums drop what is torn. */
  apply(content: DiskContent, bytes?: number): void;
  readonly byteLength: number;
}

// What is written goes to `#cache` at once and to `#durable` with the sync, as in a kernel. Every operation is made of steps:
//
//   engine.write   1 append   2 sync   3 answer          overwrite   1 write   2 sync   3 answer
//
// `cutPowerAt(2)` stops before the second step: the batch is appended, not synced, and nobody ever gets an answer.

/** A data directory in memory that can lose power, fail, fill up and lie. */
export class SimulatedDisk implements Disk {
  readonly name = "simulated disk";
  /** How much may still be written. */
  free = Number.MAX_SAFE_INTEGER;
  /** Where the disk says "synced" and does nothing. */
  lyingAbout: "engine" | "files" | undefined;
  readonly #deps: SimulatedDiskDeps;
  #durable: DiskContent;
  #cache: DiskContent;
  #unsynced: Unsynced[] = [];
  #steps = 0;
  #cutAt = Infinity;
  readonly #failures = new Map<number, Error>();
  #open = false;
  #broken: Error | undefined;
  #onPowerLost: () => void = () => {};
  /** Resolves when the power has gone. */
  readonly powerLost: Promise<void>;

  constructor(deps: SimulatedDiskDeps, content: DiskContent = { files: new Map(), records: undefined }) {
    this.#deps = deps;
    this.#durable = content;
    this.#cache = copyOf(content);
    this.powerLost = new Promise((resolve) => (this.#onPowerLost = resolve));
  }

  /** How many steps were taken so far. */
  get steps(): number {
    return this.#steps;
  }

  /** What the engine holds, to look at and to damage. */
  get records(): Map<string, Buffer> {
    return (this.#cache.records ??= new Map());
  }

  get files(): Map<string, Buffer> {
    return this.#cache.files;
  }

  /** The power goes just before this step (1 is the first): it and whatever follows never answer. */
  cutPowerAt(step: number): void {
    this.#cutAt = step;
  }

  /** This step fails; whatever was written before it may be there or not. */
  failAt(step: number, error: Error): void {
    this.#failures.set(step, error);
  }

  /** The machine comes back: the same disk, with that fate for what was not synced. */
  restart(fate: UnsyncedFate): SimulatedDisk {
    const content = copyOf(this.#durable);
    for (const unsynced of this.#unsynced) {
      if (fate === "kept") unsynced.apply(content);
      if (fate === "torn") {
        const bytes = this.#deps.random.integer(unsynced.byteLength + 1);
        // A log that is torn ends there: nothing behind the tear survives.
        if (unsynced.file === "" && bytes < unsynced.byteLength) break;
        unsynced.apply(content, bytes);
      }
    }
    return new SimulatedDisk(this.#deps, content);
  }

  /** What a machine finds that boots while everything cached is written out: the process was killed, the kernel was not. */
  afterKill(): SimulatedDisk {
    return new SimulatedDisk(this.#deps, copyOf(this.#cache));
  }

  async list(): Promise<readonly string[]> {
    await this.#step();
    return [...this.#cache.files.keys(), ...(this.#cache.records ? ["log"] : [])];
  }

  async readFile(name: string): Promise<Uint8Array | undefined> {
    await this.#step();
    const bytes = this.#cache.files.get(name);
    return bytes && Buffer.from(bytes);
  }

  async replaceFile(name: string, bytes: Uint8Array): Promise<void> {
    const copy = Buffer.from(bytes);
    await this.#step();
    // The content is synced before the new name is: it is never seen in part.
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.set(name, Buffer.from(copy)) });
    await this.#sync(name);
  }

  async openFile(name: string): Promise<DiskFile> {
    await this.#step();
    if (!this.#cache.files.has(name)) throw new Error(`${name} does not exist`);
    return {
      overwrite: (offset, bytes) => this.#overwrite(name, offset, Buffer.from(bytes)),
      close: async () => {},
    };
  }

  async reserveFile(name: string, byteLength: number): Promise<void> {
    await this.#step();
    this.#takeRoom(byteLength);
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.set(name, Buffer.alloc(byteLength)) });
  }

  async removeFile(name: string): Promise<void> {
    await this.#step();
    this.free += this.#cache.files.get(name)?.length ?? 0;
    this.#write({ file: name, byteLength: 1, apply: (content) => content.files.delete(name) });
    await this.#sync(name);
  }

  freeBytes(): number {
    return this.free;
  }

  async openEngine(options: { create: boolean }): Promise<Engine> {
    await this.#step();
    if (this.#open) throw new StoreInUse("the data directory is in use by another process");
    if (!this.#cache.records) {
      if (!options.create) throw new StoreCorrupt("the engine does not exist");
      this.#write({ file: "", byteLength: 1, apply: (content) => (content.records = new Map()) });
      await this.#sync("");
    }
    this.#open = true;
    return {
      write: (operations) => this.#writeBatch(operations),
      readPage: (range, limit) => this.#readPage(range, limit),
      compactRange: () => this.#step(),
      close: async () => {
        this.#open = false;
      },
    };
  }

  async #writeBatch(operations: readonly EngineOperation[]): Promise<void> {
    const copies = operations.map((o) => (o.type === "put" ? { ...o, value: Buffer.from(o.value) } : o));
    // One error and the engine takes nothing more until it is opened again, as LevelDB does.
    if (this.#broken) throw this.#broken;
    try {
      await this.#step();
      const byteLength = copies.reduce((sum, o) => sum + o.key.length + (o.type === "put" ? o.value.length : 0), 1);
      this.#takeRoom(byteLength);
      this.#write({ file: "", byteLength, apply: (content) => applyBatch(content, copies) });
      await this.#sync("");
    } catch (error) {
      this.#broken = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  async #readPage(range: KeyRange, limit: number): Promise<readonly EngineRecord[]> {
    await this.#step();
    const keys = [...this.records.keys()].filter((key) => key >= range.from && key < range.to).sort();
    return keys.slice(0, limit).map((key) => ({ key, value: Buffer.from(this.records.get(key) ?? []) }));
  }

  async #overwrite(name: string, offset: number, bytes: Buffer): Promise<void> {
    await this.#step();
    const apply = (content: DiskContent, survived = bytes.length) => {
      bytes.subarray(0, survived).copy(content.files.get(name) ?? Buffer.alloc(0), offset);
    };
    this.#write({ file: name, byteLength: bytes.length, apply });
    await this.#sync(name);
  }

  #write(unsynced: Unsynced): void {
    unsynced.apply(this.#cache);
    this.#unsynced.push(unsynced);
  }

  async #sync(file: string): Promise<void> {
    await this.#step();
    if (this.lyingAbout !== (file === "" ? "engine" : "files")) {
      for (const unsynced of this.#unsynced) if (unsynced.file === file) unsynced.apply(this.#durable);
      this.#unsynced = this.#unsynced.filter((unsynced) => unsynced.file !== file);
    }
    await this.#step();
  }

  #takeRoom(byteLength: number): void {
    if (byteLength > this.free) throw new Error("ENOSPC: no space left on device");
    this.free -= byteLength;
  }

  async #step(): Promise<void> {
    await this.#deps.delay?.();
    this.#steps++;
    if (this.#steps >= this.#cutAt) {
      this.#onPowerLost();
      await new Promise(() => {});
    }
    const failure = this.#failures.get(this.#steps);
    if (failure) throw failure;
  }
}

function applyBatch(content: DiskContent, operations: readonly EngineOperation[]): void {
  const records = (content.records ??= new Map());
  for (const operation of operations) {
    if (operation.type === "put") records.set(operation.key, Buffer.from(operation.value));
    else records.delete(operation.key);
  }
}

function copyOf(content: DiskContent): DiskContent {
  const copyMap = (map: Map<string, Buffer>) => new Map([...map].map(([name, bytes]) => [name, Buffer.from(bytes)]));
  return { files: copyMap(content.files), records: content.records && copyMap(content.records) };
}
