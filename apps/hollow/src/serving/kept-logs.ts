import type { LogSink } from "@kintsugi/cri/simulated";
import type { LogFile, LogFiles } from "@kintsugi/kubelet/factory";

/**
 * Limit of the bytes of one log; the oldest lines beyond the limit are removed. A test reads few
 * lines.
 */
const logBytesMax = 64 * 1024;
/** Limit of the bytes of all logs together; the oldest logs beyond the limit are removed. */
const allBytesMax = 32 * 1024 * 1024;

interface KeptLog {
  bytes: Buffer;
  /** The offset of the first retained byte in the whole log. */
  start: number;
}

/** The logs of hollow containers, in memory and within limits. */
export class KeptLogs implements LogSink, LogFiles {
  readonly #logs = new Map<string, KeptLog>();
  #bytes = 0;

  append(path: string, text: string): void {
    const log = this.#logs.get(path) ?? { bytes: Buffer.alloc(0), start: 0 };
    const grown = Buffer.concat([log.bytes, Buffer.from(text)]);
    const kept = grown.byteLength > logBytesMax ? grown.subarray(firstLineWithin(grown)) : grown;
    this.#bytes += kept.byteLength - log.bytes.byteLength;
    log.start += grown.byteLength - kept.byteLength;
    log.bytes = kept;
    this.#logs.set(path, log);
    this.#makeRoom(path);
  }

  open(path: string): Promise<LogFile | undefined> {
    const log = this.#logs.get(path);
    return Promise.resolve(log && fileOver(log));
  }

  rotated(): Promise<string[]> {
    return Promise.resolve([]);
  }

  #makeRoom(written: string): void {
    for (const [path, { bytes }] of this.#logs) {
      if (this.#bytes <= allBytesMax) return;
      if (path === written) continue;
      this.#bytes -= bytes.byteLength;
      this.#logs.delete(path);
    }
  }
}

/** Returns the offset of the first line that is completely within the limit. */
function firstLineWithin(bytes: Buffer): number {
  const from = bytes.byteLength - logBytesMax;
  const end = bytes.indexOf(0x0a, from);
  return end < 0 ? from : end + 1;
}

function fileOver(log: KeptLog): LogFile {
  return {
    read: (offset, length) => {
      const from = Math.max(0, offset - log.start);
      return Promise.resolve(log.bytes.subarray(from, from + length));
    },
    size: () => Promise.resolve(log.start + log.bytes.byteLength),
    isReplaced: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
}
