import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { formatMicroTime, isTimestamp, type Logger, parseTimestamp } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { AuditFile } from "./audit-log.ts";

export interface LogRotation {
  /** A file that would grow beyond this size is rotated. */
  fileBytesMax: number;
  /** Rotated files older than this are removed; 0 for never. */
  ageMaxMs: number;
  /** The number of rotated files that are retained; 0 for all. */
  backupsMax: number;
  /** True if rotated files are compressed with gzip. */
  compress: boolean;
}

// The file names, as in upstream's library:
//   audit.log   audit-2026-11-25T21-26-29.123.log   audit-2026-11-25T20-01-07.450.log.gz

/** A file that is rotated when it is full. The oldest rotated files are removed. */
export function createRotatingFile(
  path: string,
  { clock, log }: { clock: Pick<Clock, "nowMs">; log: Logger },
  options: LogRotation,
): AuditFile {
  let current: { handle: FileHandle; bytes: number } | undefined;
  const openCurrent = async () => {
    // The log contains the content of requests if the policy requests that, so only its owner may
    // read it.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, "a", 0o600);
    return { handle, bytes: (await handle.stat()).size };
  };
  const close = async () => {
    const { handle } = current ?? {};
    current = undefined;
    await handle?.close();
  };
  /** A failed clean-up must not lose events; the next rotation tries again. */
  const tidy = async (aside: string): Promise<void> => {
    try {
      if (options.compress) await compress(aside);
      await removeOld(path, { ...options, nowMs: clock.nowMs() });
    } catch (error) {
      log.warn("old audit logs not cleaned up", { error });
    }
  };
  return {
    write: async (text) => {
      const bytes = Buffer.from(text);
      current ??= await openCurrent();
      if (current.bytes > 0 && current.bytes + bytes.byteLength > options.fileBytesMax) {
        await close();
        const aside = asideName(path, clock.nowMs());
        await rename(path, aside);
        await tidy(aside);
        current = await openCurrent();
      }
      await current.handle.appendFile(bytes);
      current.bytes += bytes.byteLength;
    },
    close,
  };
}

/** Writes events as lines to standard output, for `--audit-log-path=-`. */
export function createStandardOutput(output: Pick<NodeJS.WritableStream, "write">): AuditFile {
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        output.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => {},
  };
}

function asideName(path: string, nowMs: number): string {
  const extension = extname(path);
  const time = formatMicroTime(nowMs).slice(0, 23).replaceAll(":", "-");
  return join(dirname(path), `${basename(path, extension)}-${time}${extension}`);
}

async function compress(aside: string): Promise<void> {
  await pipeline(createReadStream(aside), createGzip(), createWriteStream(`${aside}.gz`, { mode: 0o600 }));
  await rm(aside);
}

async function removeOld(path: string, options: LogRotation & { nowMs: number }): Promise<void> {
  const directory = dirname(path);
  const old = asideFiles(path, await readdir(directory));
  for (const { name } of planRemoval(old, options)) await rm(join(directory, name), { force: true });
}

interface AsideFile {
  readonly name: string;
  readonly timeMs: number;
}

/** The rotated files of `path` in a directory, the newest first. */
function asideFiles(path: string, names: readonly string[]): AsideFile[] {
  const extension = extname(path);
  const prefix = `${basename(path, extension)}-`;
  return names
    .flatMap((name) => {
      if (!name.startsWith(prefix)) return [];
      const [, day, hour, minute, second, rest] =
        /^(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2}\.\d{3})(.*)$/.exec(name.slice(prefix.length)) ?? [];
      if (rest !== extension && rest !== `${extension}.gz`) return [];
      const time = `${day}T${hour}:${minute}:${second}Z`;
      return isTimestamp(time) ? [{ name, timeMs: parseTimestamp(time) }] : [];
    })
    .toSorted((a, b) => b.timeMs - a.timeMs);
}

/** Decides which of the rotated files, the newest first, are removed. */
function planRemoval(
  files: readonly AsideFile[],
  { ageMaxMs, backupsMax, nowMs }: Pick<LogRotation, "ageMaxMs" | "backupsMax"> & { nowMs: number },
): readonly AsideFile[] {
  return files.filter(
    ({ timeMs }, index) => (backupsMax > 0 && index >= backupsMax) || (ageMaxMs > 0 && nowMs - timeMs > ageMaxMs),
  );
}
