import { constants, readSync } from "node:fs";
import { open } from "node:fs/promises";

export interface KernelLog {
  /** Opens the log while `read` runs. @throws when it cannot be read. */
  run(read: (records: KernelRecords) => Promise<void>): Promise<void>;
}

interface KernelRecords {
  /** The records that existed when the log was opened. */
  readonly earlier: readonly string[];
  /** Returns the records since the log was opened, or since the last call, without waiting. */
  readonly next: () => string[];
}

/** The kernel returns one record at a time, of at most this length (CONSOLE_EXT_LOG_MAX). */
const recordBytesMax = 8192;
/** Limit of the records of one read, in case the kernel logs even more. */
const recordsMax = 10_000;

/**
 * The machine's own log, /dev/kmsg. It is read synchronously, because reading never blocks: through
 * the thread pool the several thousand initial records would cost 100 ms.
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
          // Records were overwritten before they were read, so the next read begins at the oldest
          // existing record.
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
