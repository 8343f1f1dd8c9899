import { formatMicroTime } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import type { LogFile, LogFiles } from "./log-file.ts";
import { readLog } from "./read-log.ts";

const path = "/logs/c/0.log";
const options = {
  follow: true,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  sinceMs: undefined,
};

/**
 * A log directory in memory, with a runtime that numbers its lines and swaps files as containerd
 * does.
 */
class Written implements LogFiles {
  readonly #clock: VirtualClock;
  readonly #files = new Map<string, { bytes: Buffer }>();
  #current = { bytes: Buffer.alloc(0) };
  #rotations = 0;
  /**
   * Runs at the worst moment: immediately after a follower has checked that its file is still the
   * log.
   */
  afterLook: (() => void) | undefined;
  lines = 0;
  /** The offset from UTC in which the runtime writes times, in hours. */
  offsetHours = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.#files.set(path, this.#current);
  }

  write(count: number): void {
    for (let i = 0; i < count; i++) {
      const offset = this.offsetHours === 0 ? "Z" : `+0${this.offsetHours}:00`;
      const nanos = String(this.lines % 1000).padStart(3, "0");
      const local = formatMicroTime(this.#clock.nowMs() + this.offsetHours * 3_600_000);
      const stamp = local.replace("Z", `${nanos}${offset}`);
      this.#current.bytes = Buffer.concat([this.#current.bytes, Buffer.from(`${stamp} stdout F ${this.lines++}\n`)]);
    }
  }

  /** A new file under the log's name; until the swap, lines are still written to the old file. */
  beginRotation(): () => void {
    const [before] = [...this.#files.keys()].filter((each) => each !== path);
    // The rotator compresses its earlier rotated file.
    if (before !== undefined) this.#files.delete(before);
    this.#files.set(`${path}.2026010${++this.#rotations}-000000`, this.#current);
    const next = { bytes: Buffer.alloc(0) };
    this.#files.set(path, next);
    return () => (this.#current = next);
  }

  rotate(): void {
    this.beginRotation()();
  }

  open(at: string): Promise<LogFile | undefined> {
    const file = this.#files.get(at);
    return Promise.resolve(
      file && {
        read: (offset, length) => Promise.resolve(file.bytes.subarray(offset, offset + length)),
        size: () => Promise.resolve(file.bytes.byteLength),
        isReplaced: () => {
          const answer = Promise.resolve(this.#files.get(path) !== file);
          this.afterLook?.();
          return answer;
        },
        close: () => Promise.resolve(),
      },
    );
  }

  rotated(): Promise<string[]> {
    return Promise.resolve([...this.#files.keys()].filter((each) => each !== path).sort());
  }
}

/**
 * Follows a log to its end. `work` changes it in the meantime, and its container runs until `work`
 * has ended.
 */
async function follow(work: (written: Written, sleep: (ms: number) => Promise<void>) => Promise<void>) {
  const clock = new VirtualClock();
  const files = new Written(clock);
  const seen: number[] = [];
  let running = true;
  const pieces = readLog({ files, clock, isRunning: () => clock.sleep(1).then(() => running) }, path, {
    options,
    signal: new AbortController().signal,
  });
  const reading = (async () => {
    for await (const text of pieces) {
      seen.push(...text.toString().trim().split("\n").map(Number));
    }
  })();
  const working = work(files, async (ms) => clock.sleep(ms)).then(() => (running = false));
  await clock.advance(60_000);
  await Promise.all([reading, working]);
  return { seen, wanted: Array.from({ length: files.lines }, (_, i) => i) };
}

test.each([0, 1, 7])(
  "a follower misses no line of a rotated log, with %i lines written to the old file after the new file exists",
  async (late) => {
    const { seen, wanted } = await follow(async (written, sleep) => {
      for (let round = 0; round < 200; round++) {
        written.write(13);
        await sleep(37);
        if (round % 20 !== 19) continue;
        const swap = written.beginRotation();
        await sleep(37);
        written.write(late);
        swap();
      }
    });
    expect(wanted.length).toBe(200 * 13 + 10 * late);
    expect(seen).toEqual(wanted);
  },
);

test("a follower that is one file behind reads that file before the current one", async () => {
  const { seen, wanted } = await follow(async (written, sleep) => {
    written.write(3);
    await sleep(1000);
    // Two rotations between two reads.
    written.write(2);
    written.rotate();
    written.write(4);
    written.rotate();
    written.write(5);
    await sleep(1000);
  });
  expect(seen).toEqual(wanted);
});

test("files are read in the order of their times when the clock of the host is set back by an hour", async () => {
  const { seen, wanted } = await follow(async (written, sleep) => {
    written.offsetHours = 2;
    written.write(3);
    await sleep(1000);
    written.write(2);
    written.rotate();
    written.offsetHours = 1;
    written.write(4);
    written.rotate();
    written.write(5);
    await sleep(1000);
  });
  expect(seen).toEqual(wanted);
});

test("lines that a container wrote after a rotation are shown, although it has ended since", async () => {
  const { seen, wanted } = await follow(async (written, sleep) => {
    written.write(3);
    await sleep(1000);
    await new Promise<void>((resolve) => {
      written.afterLook = () => {
        written.afterLook = undefined;
        written.write(2);
        written.rotate();
        written.write(4);
        resolve();
      };
    });
  });
  expect(seen).toEqual(wanted);
});
