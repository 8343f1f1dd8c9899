import { type Clock, Mutex, type Timer } from "@kintsugi/clock";
import type { EventLog } from "../event-log.ts";
import type { Disk } from "./disk.ts";

export interface BallastOptions {
  /** Reserved bytes. Default 64 MiB: more than a restart writes before it can delete anything. */
  ballastBytes: number;
  /** Free bytes that the disk needs in addition to the ballast. */
  freeBytesMin: number;
}

export const ballastFileName = "ballast";

/**
 * A file of zeros that is deleted when the disk is full, so that a restart and a compaction still
 * have room.
 */
export class Ballast {
  readonly #deps: { disk: Disk; log: EventLog };
  readonly #options: BallastOptions;
  #present: boolean;
  readonly #work = new Mutex();
  #timer: Timer | undefined;

  constructor(deps: { disk: Disk; log: EventLog }, options: BallastOptions & { present: boolean }) {
    this.#deps = deps;
    this.#options = options;
    this.#present = options.present;
  }

  /**
   * Makes the file if it is missing and the disk has room. Without room the file is not made, which
   * is not an error.
   */
  ensure(): Promise<void> {
    return this.#work.run(async () => {
      const { disk, log } = this.#deps;
      const { ballastBytes, freeBytesMin } = this.#options;
      if (this.#present || ballastBytes === 0 || disk.freeBytes() < ballastBytes + freeBytesMin) return;
      try {
        await disk.reserveFile(ballastFileName, ballastBytes);
        this.#present = true;
      } catch (error) {
        log.warn("no room for the ballast file", { directory: disk.name, error });
      }
    });
  }

  /**
   * Calls `ensure` after a delay, because the first start needs processor and disk for more
   * important work than 64 MiB of zeros.
   */
  ensureLater(clock: Pick<Clock, "after">, delayMs: number): void {
    if (this.#present || this.#options.ballastBytes === 0) return;
    if (delayMs === 0) void this.ensure();
    else this.#timer = clock.after(delayMs, () => void this.ensure());
  }

  release(): Promise<void> {
    return this.#work.run(async () => {
      if (!this.#present) return;
      await this.#deps.disk.removeFile(ballastFileName);
      this.#present = false;
      this.#deps.log.warn("disk is nearly full, ballast file removed", { directory: this.#deps.disk.name });
    });
  }

  /** Does not start further work, and resolves when no operation on the file is in progress. */
  settle(): Promise<void> {
    this.#timer?.cancel();
    return this.#work.settled();
  }
}
