import { Level } from "level";
import type { Engine, EngineOperation, EngineRecord, KeyRange, WriteOptions } from "../disk/disk.ts";
import { StoreCorrupt, StoreInUse } from "../store.ts";

/**
 * A page stops growing at this size, so that a thousand large objects are not read at the same
 * time.
 */
const pageBytesMax = 4 * 2 ** 20;
/**
 * A larger buffer makes fewer and larger tables. Stalls by compaction determine the slowest writes
 * with the default of 4 MiB.
 */
const writeBufferBytes = 16 * 2 ** 20;
/** Reads after opening are rare (compaction, scrubbing), so little caching is useful. */
const cacheBytes = 2 * 2 ** 20;

/**
 * LevelDB keeps a thousand tables open by default, which is the whole descriptor limit of a process
 * on many machines, and a table that cannot be opened ends the store. Tables beyond this number,
 * which is 2 GB of tables, are opened when they are read. The API server reserves this many
 * descriptors.
 */
const levelFilesMax = 128;

/** `Level` is ClassicLevel in Node; its types have only the methods that browsers have as well. */
type Database = Level<string, Buffer> & { compactRange(start: string, end: string): Promise<void> };

/** LevelDB, as `classic-level` bundles it. */
export class LevelEngine implements Engine {
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open(directory: string, options: { create: boolean }): Promise<LevelEngine> {
    const database = new Level<string, Buffer>(directory, {
      keyEncoding: "utf8",
      valueEncoding: "buffer",
      createIfMissing: options.create,
      writeBufferSize: writeBufferBytes,
      maxFileSize: writeBufferBytes,
      cacheSize: cacheBytes,
      maxOpenFiles: levelFilesMax,
    });
    try {
      await database.open();
    } catch (error) {
      throw openingError(directory, error);
    }
    return new LevelEngine(database as Database);
  }

  write(operations: readonly EngineOperation[], { sync }: WriteOptions): Promise<void> {
    // A chained batch copies each value immediately, while an array of operations would first be
    // cloned one by one.
    const batch = this.#database.batch();
    for (const operation of operations) {
      if (operation.type === "put") batch.put(operation.key, asBuffer(operation.value));
      else batch.del(operation.key);
    }
    return batch.write({ sync });
  }

  async readPage(range: KeyRange, limit: number): Promise<readonly EngineRecord[]> {
    const iterator = this.#database.iterator({
      gte: range.from,
      lt: range.to,
      limit,
      fillCache: false,
      highWaterMarkBytes: pageBytesMax,
    });
    try {
      const entries = await iterator.nextv(limit);
      return entries.map(([key, value]) => ({ key, value }));
    } finally {
      await iterator.close();
    }
  }

  compactRange(range: KeyRange): Promise<void> {
    return this.#database.compactRange(range.from, range.to);
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function openingError(directory: string, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const because = cause instanceof Error ? cause.message : String(cause);
  if (code === "LEVEL_LOCKED") {
    return new StoreInUse(`the data directory is in use by another process (${directory}/LOCK is held)`, { cause });
  }
  if (code === "LEVEL_CORRUPTION" || /does not exist|No such file|Corruption/i.test(because)) {
    return new StoreCorrupt(`LevelDB cannot read ${directory}: ${because}; restore a backup`, { cause });
  }
  return new Error(`cannot open LevelDB in ${directory}: ${because}`, { cause });
}
