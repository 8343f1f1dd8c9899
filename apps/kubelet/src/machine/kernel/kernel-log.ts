import { constants, readSync } from "node:fs";
import { open } from "node:fs/promises";

/** The kernel's log. */
export interface KernelLog {
  /** Opens the log for as long as `read` takes. @throws when it cannot be read. */
  run(read: (records: KernelRecords) => Promise<void>): Promise<void>;
}

interface KernelRecords {
  /** Records that were there when the log was opened. */
  readonly earlier: readonly string[];
  /** Returns the records since then, or since the last call; it never waits. */
  readonly next: () => string[];
}

/** The kernel gives one record at a time, and no longer ones (CONSOLE_EXT_LOG_MAX). */
const recordBytesMax = 8192;
/** Records read at the same time: a kernel that logs more is not read for longer. */
const recordsMax = 10_000;

/**
 * The machine's own, /dev/kmsg. It is read in place, as it never blocks: by way of the thread pool
 * the some thousand records that are there at the start cost 100 ms.
 */
export const linuxKernelLog: KernelLog = {
  async run(read) {
    const file = await open("/dev/kmsg", constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(recordBytesMax);
    const next = (): string[] => {
      const records: string[] = [];
      for (let i = 0; i < recordsMax; i++) {
        try {
          const bytesRead = readSync(file.fd, buffer, 0, recordBytesMax, null);
          records.push(buffer.toString("utf8", 0, bytesRead));
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === "EAGAIN") break;
          // Records were overwritten before they were read: the next read begins at the oldest that
          // exists.
          if (code !== "EPIPE") throw error;
        }
      }
      return records;
    };
    try {
      const earlier: string[] = [];
      for (let records = next(); records.length > 0; records = next()) earlier.push(...records);
      await read({ earlier, next });
    } finally {
      await file.close();
    }
  },
};
