import { parseTimestamp } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { parseCriLogLine } from "./cri-log-line.ts";
import type { LogFile, LogFiles } from "./log-file.ts";
import type { LogOptions } from "./log-options.ts";

export interface ReadLogDeps {
  files: LogFiles;
  clock: Clock;
  /** Reports whether more output can still be written; a followed log ends with its container. */
  isRunning(): Promise<boolean>;
}

const chunkBytes = 64 * 1024;
/**
 * A line longer than this is cut. The runtime itself cuts at 16 KiB, so only a file that it did not
 * write has such lines.
 */
const lineBytesMax = 1024 * 1024;
/** Interval at which a followed log is read. */
const followIntervalMs = 200;
/** The longest first line of a log. Its time shows which of two files was started first. */
const firstLineBytesMax = 64;

/**
 * The text of a container's log as `kubectl logs` prints it, piece by piece; empty when the log
 * does not exist.
 */
export async function* readLog(
  deps: ReadLogDeps,
  path: string,
  { options, signal }: { options: LogOptions; signal: AbortSignal },
): AsyncGenerator<Buffer, void> {
  let file = await deps.files.open(path);
  if (!file) return;
  let left = options.limitBytes ?? Infinity;
  let offset = options.tailLines === undefined ? 0 : await offsetOfTail(file, options.tailLines);
  let carried = Buffer.alloc(0);
  let endedBefore = false;
  let replacedBefore = false;
  try {
    while (left > 0 && !signal.aborted) {
      const chunk = await file.read(offset, chunkBytes);
      offset += chunk.byteLength;
      const { lines, rest } = splitLines(Buffer.concat([carried, chunk]));
      carried = rest;
      const text = Buffer.concat(lines.map((line) => shown(line, options)));
      const allowed = text.subarray(0, Math.min(text.byteLength, left));
      left -= allowed.byteLength;
      if (allowed.byteLength > 0) yield allowed;
      if (chunk.byteLength > 0) continue;
      if (!options.follow) return;
      if (replacedBefore) {
        const next = await openNext(deps.files, path, file);
        if (!next) return;
        await file.close();
        [file, offset, carried, replacedBefore] = [next, 0, Buffer.alloc(0), false];
        continue;
      }
      // The runtime creates the new file a moment before it stops writing to the old file, so the
      // old file is first read to its end.
      replacedBefore = await file.isReplaced();
      if (!replacedBefore && endedBefore) return;
      // Another read for lines that were written between the last read and the end of the
      // container.
      endedBefore = !(await deps.isRunning());
      if (replacedBefore || !endedBefore) await deps.clock.sleep(followIntervalMs, signal).catch(() => {});
    }
  } finally {
    await file.close();
  }
}

/**
 * Opens the next file after `file`. For a slow reader this file may already have been rotated
 * itself. Only the newest of the rotated files is uncompressed, so a reader that is three files
 * behind misses the files in between.
 */
async function openNext(files: LogFiles, path: string, file: LogFile): Promise<LogFile | undefined> {
  const begun = await beginning(file);
  for (const rotated of begun === undefined ? [] : await files.rotated(path)) {
    const candidate = await files.open(rotated);
    const candidateBegun = candidate && (await beginning(candidate));
    if (candidateBegun !== undefined && begun !== undefined && candidateBegun > begun) return candidate;
    await candidate?.close();
  }
  return files.open(path);
}

/**
 * Returns the time of a log's first line in nanoseconds since 1970; undefined when the log has no
 * line. The offset from UTC may change between two files, as at the end of daylight saving time.
 */
async function beginning(file: LogFile): Promise<bigint | undefined> {
  const line = (await file.read(0, firstLineBytesMax)).toString("latin1");
  const [, time = "", fraction = "", offset = ""] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d) /.exec(line) ?? [];
  if (time === "") return undefined;
  try {
    return BigInt(parseTimestamp(`${time}${offset}`)) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
  } catch {
    return undefined;
  }
}

function shown(line: Buffer, { sinceMs, timestamps }: LogOptions): Buffer {
  const parsed = parseCriLogLine(line);
  if (!parsed) return Buffer.alloc(0);
  if (sinceMs !== undefined && parseTimestamp(parsed.timestamp) < sinceMs) return Buffer.alloc(0);
  return timestamps ? Buffer.concat([Buffer.from(`${parsed.timestamp} `), parsed.text]) : parsed.text;
}

function splitLines(bytes: Buffer): { lines: Buffer[]; rest: Buffer<ArrayBuffer> } {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  const rest = bytes.subarray(start);
  return { lines, rest: Buffer.from(rest.byteLength > lineBytesMax ? rest.subarray(0, lineBytesMax) : rest) };
}

/**
 * Returns the offset at which the last `lineCount` lines begin, searched from the end backwards.
 */
async function offsetOfTail(file: LogFile, lineCount: number): Promise<number> {
  const size = await file.size();
  if (lineCount === 0) return size;
  let found = 0;
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkBytes);
    const block = await file.read(start, end - start);
    for (let i = block.byteLength - 1; i >= 0; i--) {
      // The newline at the very end closes the last line and does not begin another.
      if (block[i] !== 0x0a || start + i === size - 1) continue;
      if (++found === lineCount) return start + i + 1;
    }
    end = start;
  }
  return 0;
}
