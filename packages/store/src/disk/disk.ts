/**
 * The data directory in the view of the store: a few files, and an ordered key-value engine inside
 * it.
 */
export interface Disk {
  /** The path of the directory, for messages. */
  readonly name: string;
  /** Lists the directory, and creates it when it is missing. */
  list(): Promise<readonly string[]>;
  readFile(name: string): Promise<Uint8Array | undefined>;
  /**
   * Creates the file or replaces it as a whole; durable when resolved. A crash leaves the old or
   * the new file, never a mixture.
   */
  replaceFile(name: string, bytes: Uint8Array): Promise<void>;
  /** Opens an existing file, for overwriting parts of it. */
  openFile(name: string, how: WriteOptions): Promise<DiskFile>;
  /**
   * Creates a file of zeros whose blocks are really allocated. Rejects, without leaving a file,
   * when the disk has too little room.
   */
  reserveFile(name: string, byteLength: number): Promise<void>;
  removeFile(name: string): Promise<void>;
  /** The number of bytes that can still be written. */
  freeBytes(): number;
  /**
   * @throws StoreInUse when another process has the engine open, StoreCorrupt when the engine is
   * damaged, or is missing and `create` is not set.
   */
  openEngine(options: { create: boolean }): Promise<Engine>;
}

export interface WriteOptions {
  /**
   * True when the write resolves only once the bytes are on the disk. Bytes that only the kernel
   * has are lost at a power failure.
   */
  sync: boolean;
}

export interface DiskFile {
  /**
   * Durable when resolved, if the disk was opened as durable; a crash may leave any mixture of the
   * old and the new bytes.
   */
  overwrite(offset: number, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * An ordered key-value store in which a batch of writes is atomic. The store does not rely on other
 * guarantees of the engine.
 */
export interface Engine {
  /**
   * All or nothing, and durable when resolved, if synced. Bytes are copied before the call returns.
   * After a rejection the outcome is unknown.
   */
  write(operations: readonly EngineOperation[], how: WriteOptions): Promise<void>;
  /**
   * The first `limit` records of the range in key order; fewer when they are large, but at least
   * one record if a record exists.
   */
  readPage(range: KeyRange, limit: number): Promise<readonly EngineRecord[]>;
  /** Releases the room of deleted records in the range. */
  compactRange(range: KeyRange): Promise<void>;
  close(): Promise<void>;
}

export type EngineOperation =
  | { readonly type: "put"; readonly key: string; readonly value: Uint8Array }
  | { readonly type: "del"; readonly key: string };

export interface EngineRecord {
  readonly key: string;
  readonly value: Buffer;
}

/** The keys from `from` up to, but not including, `to`. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}
