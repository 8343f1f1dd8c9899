import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type PodPort, portsOf } from "./pod-port.ts";

/** The records of pods' networks on this machine. */
export interface PortRecords {
  /** Lists the ports of all pods of the machine. */
  list(): Promise<readonly PodPort[]>;
  /**
   * Calls the handler when records are added or removed, until the returned function is called.
   * Undefined where the directory does not exist and cannot be created.
   */
  watch(handler: () => void): (() => void) | undefined;
}

/** A record has about 2 KB, and its pod's annotations, which have 256 KiB before escapes. */
const recordBytesMax = 4 * 1024 * 1024;
/** A node has 110 pods, and a machine with many nodes has thousands. */
const recordsMax = 20_000;
/** Files that are read together. */
const readsAtOnce = 32;

/** Reads each file of the directory once, because its name identifies one sandbox. */
export class CniRecords implements PortRecords {
  readonly #directory: string;
  #known = new Map<string, readonly PodPort[]>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  async list(): Promise<readonly PodPort[]> {
    // "kintsugi-<sandbox>-eth0"; the loopback's records have no port.
    const names = (await readdir(this.#directory).catch(() => [])).filter((name) => !name.endsWith("-lo"));
    const known = new Map<string, readonly PodPort[]>();
    const unread: string[] = [];
    for (const name of names.slice(0, recordsMax)) {
      const ports = this.#known.get(name);
      if (ports === undefined) unread.push(name);
      else known.set(name, ports);
    }
    for (let i = 0; i < unread.length; i += readsAtOnce)
      await Promise.all(
        unread.slice(i, i + readsAtOnce).map(async (name) => {
          const ports = await this.#read(name);
          if (ports !== undefined) known.set(name, ports);
        }),
      );
    this.#known = known;
    return [...known.values()].flat();
  }

  watch(handler: () => void): (() => void) | undefined {
    try {
      // The library creates the directory with the first pod, whose record must not be missed.
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      const watcher: FSWatcher = watch(this.#directory, handler);
      watcher.on("error", handler);
      return () => watcher.close();
    } catch {
      return undefined;
    }
  }

  /** Undefined for an incomplete record, which is read again. */
  async #read(name: string): Promise<readonly PodPort[] | undefined> {
    const file = join(this.#directory, name);
    try {
      const { size } = await stat(file);
      return size > recordBytesMax ? [] : portsOf(await readFile(file, "utf8"));
    } catch {
      return undefined;
    }
  }
}
