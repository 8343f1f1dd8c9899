import { watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest, ManifestSource } from "./manifest-source.ts";

/** Upstream's limit of one manifest (config/file.go maxConfigLength). */
const manifestBytesMax = 10 * 1024 * 1024;

/**
 * The regular files of a directory, or a single file. Files that begin with a dot are not
 * inspected, as in upstream's `extractFromDir`.
 */
export function manifestDirectory(path: string): ManifestSource {
  return {
    async read() {
      const kind = await stat(path).catch(ignoreMissing);
      if (!kind) return [];
      if (kind.isFile()) return readAll([path]);
      const names = (await readdir(path, { withFileTypes: true }))
        .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
        .map(({ name }) => join(path, name));
      return readAll(names.sort());
    },
    watch(onChanged, signal) {
      try {
        const watcher = watch(path, { signal, persistent: false }, onChanged);
        // A directory that is removed is only found again by the timer.
        watcher.on("error", () => watcher.close());
      } catch {
        // The directory does not exist yet. The timer finds it later.
      }
    },
  };
}

async function readAll(paths: readonly string[]): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    const kind = await stat(path).catch(ignoreMissing);
    if (!kind?.isFile()) continue;
    const text = kind.size > manifestBytesMax ? undefined : await readFile(path, "utf8").catch(ignoreMissing);
    // A file that is too long is passed on as a file that cannot be read, so that it is reported
    // like any other unreadable file.
    if (kind.size > manifestBytesMax) manifests.push({ path, text: `# longer than ${manifestBytesMax} bytes` });
    else if (text !== undefined) manifests.push({ path, text });
  }
  return manifests;
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
}
