import { readFile } from "node:fs/promises";

/**
 * Returns the value of a JSON file that `writeWhole` wrote; undefined if the file does not exist.
 * @throws Error that names the file
 */
export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
