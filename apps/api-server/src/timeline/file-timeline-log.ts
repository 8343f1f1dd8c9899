import { appendFile, readFile, rename, stat } from "node:fs/promises";
import type { TimelineEntry } from "@kintsugi/api";
import type { TimelineLog } from "./journal.ts";

/**
 * A file of this size is rotated and becomes the older of two files; together they hold more than
 * the journal shows.
 */
const fileBytesMax = 8 * 1024 * 1024;

/**
 * The journal as lines of JSON in `path`, with the older part in `path`.1. Lines that cannot be
 * parsed are skipped.
 */
export function createFileTimelineLog(path: string): TimelineLog {
  const older = `${path}.1`;
  return {
    load: async (limit) => {
      const texts = await Promise.all([readIfThere(older), readIfThere(path)]);
      return texts
        .flatMap((text) => text.split("\n"))
        .flatMap(parseLine)
        .slice(-limit);
    },
    append: async (entries) => {
      if ((await sizeOf(path)) > fileBytesMax) await rename(path, older);
      await appendFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""), { mode: 0o600 });
    },
  };
}

function parseLine(line: string): TimelineEntry[] {
  if (line === "") return [];
  try {
    const entry = JSON.parse(line) as TimelineEntry;
    return typeof entry.timeMs === "number" && typeof entry.what === "string" ? [entry] : [];
  } catch {
    return [];
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
