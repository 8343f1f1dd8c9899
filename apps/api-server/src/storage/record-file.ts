import { readFile, rename, writeFile } from "node:fs/promises";

/** A small JSON file in the data directory, which is written atomically. */
export class RecordFile<T> {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Returns undefined where no record exists.
   * @throws Error with the remedy when the file cannot be read.
   */
  async read(): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(this.path, "utf8")) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw new Error(`${this.path} cannot be read: remove it if the directory is this cluster's`, { cause: error });
    }
  }

  async write(content: T): Promise<void> {
    await writeFile(`${this.path}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 });
    await rename(`${this.path}.new`, this.path);
  }
}
