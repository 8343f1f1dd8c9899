import { constants, statfsSync } from "node:fs";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Disk, DiskFile, Engine, WriteOptions } from "../disk/disk.ts";
import { engineDirectoryName } from "./data-directory.ts";

/** The database contains every Secret of the cluster, so only its owner may read it. */
const directoryMode = 0o700;
const fileMode = 0o600;
const reserveStepBytes = 2 ** 20;

/** A data directory on a real file system. */
export class SystemDisk implements Disk {
  readonly name: string;

  constructor(directory: string) {
    this.name = directory;
  }

  async list(): Promise<readonly string[]> {
    await mkdir(this.name, { recursive: true, mode: directoryMode });
    return readdir(this.name);
  }

  async readFile(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(this.#path(name));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async replaceFile(name: string, bytes: Uint8Array): Promise<void> {
    const temporary = this.#path(`${name}.new`);
    await using file = await open(temporary, "w", fileMode);
    await file.writeFile(bytes);
    await file.sync();
    await rename(temporary, this.#path(name));
    await this.#syncDirectory(this.name);
  }

  async openFile(name: string, { sync }: WriteOptions): Promise<DiskFile> {
    // Each write returns when it is on the disk, in one trip to the thread pool instead of two.
    return new SystemFile(await open(this.#path(name), constants.O_RDWR | (sync ? constants.O_DSYNC : 0)));
  }

  async reserveFile(name: string, byteLength: number): Promise<void> {
    try {
      await using file = await open(this.#path(name), "w", fileMode);
      const zeros = Buffer.alloc(reserveStepBytes);
      for (let at = 0; at < byteLength; at += reserveStepBytes) {
        await file.write(zeros, 0, Math.min(reserveStepBytes, byteLength - at), at);
      }
    } catch (error) {
      await this.removeFile(name);
      throw error;
    }
  }

  removeFile(name: string): Promise<void> {
    return rm(this.#path(name), { force: true });
  }

  freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.name);
    return bavail * bsize;
  }

  async openEngine(options: { create: boolean }): Promise<Engine> {
    const directory = this.#path(engineDirectoryName);
    // The import is deferred until it is needed, because a user of another disk (the simulator)
    // does not need the native module.
    const { LevelEngine } = await import("./level-engine.ts");
    const engine = await LevelEngine.open(directory, options);
    // LevelDB 1.20 does not sync the directory entries of the files that it has just made.
    await this.#syncDirectory(directory);
    await this.#syncDirectory(this.name);
    return engine;
  }

  #path(name: string): string {
    return join(this.name, name);
  }

  async #syncDirectory(directory: string): Promise<void> {
    await using handle = await open(directory, "r");
    await handle.sync();
  }
}

class SystemFile implements DiskFile {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async overwrite(offset: number, bytes: Uint8Array): Promise<void> {
    const { bytesWritten } = await this.#file.write(bytes, 0, bytes.byteLength, offset);
    if (bytesWritten !== bytes.byteLength)
      throw new Error(`only ${bytesWritten} of ${bytes.byteLength} bytes were written`);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
