import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Writes a file atomically. Only its owner may access it and the directories that are created for
 * it, unless `mode` allows more.
 */
export async function writeWhole(file: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, content, { mode });
  await rename(`${file}.new`, file);
}
