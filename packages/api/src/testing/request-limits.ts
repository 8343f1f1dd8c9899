import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

// The limits of one request, for the fuzzer, the hostile requests and the property tests.

/**
 * The CPU time that one turn of the event loop may take, because other requests wait in the
 * meantime.
 */
export const turnWorkedMsMax = 250;

/** The memory that may be retained after one request, once its garbage is collected. */
export const keptBytesMax = 64 * 2 ** 20;

export interface RequestCost {
  /** The CPU time of the request's longest turn. */
  readonly turnWorkedMs: number;
  readonly keptBytes: number;
}

export interface CostFault {
  readonly kind: "blocks" | "keeps";
  readonly because: string;
}

/** Lists the limits that a request exceeds. */
export function costFaults({ turnWorkedMs, keptBytes }: RequestCost): CostFault[] {
  const faults: CostFault[] = [];
  if (turnWorkedMs > turnWorkedMsMax)
    faults.push({ kind: "blocks", because: `${Math.round(turnWorkedMs)} ms of work` });
  if (keptBytes > keptBytesMax) faults.push({ kind: "keeps", because: `${Math.round(keptBytes / 2 ** 20)} MB more` });
  return faults;
}

/**
 * The CPU time of this thread so far, which excludes other work of the machine. Linux counts it in
 * nanoseconds, as the first number of the thread's schedstat; other systems only have the time of
 * the process.
 */
export function threadWorkedMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1_000_000;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

/** The memory of objects and buffers, including garbage. */
export function takenBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Collects garbage; finalizers free the memory outside of the heap in a later turn. */
export const collectGarbage = makeCollector();

function makeCollector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}

/**
 * Measures turns of the event loop by their CPU time, from its creation on. A turn ends with its
 * immediates. The meter never keeps the process running.
 */
export class TurnMeter implements Disposable {
  #lastMs = threadWorkedMs();
  #longestMs = 0;
  #isOver = false;

  constructor() {
    this.#watch();
  }

  /** Returns the longest turn, including the current turn so far, and resets it. */
  takeLongestMs(): number {
    this.#look();
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  #watch(): void {
    setImmediate(() => {
      this.#look();
      if (!this.#isOver) this.#watch();
    }).unref();
  }

  #look(): void {
    const nowMs = threadWorkedMs();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
  }
}

/**
 * The body of a property, which fails if a drawn case exceeds the limits. A case that seems to
 * exceed them is run once more, after its code is compiled, and measured exactly, so the body must
 * not modify the drawn values.
 */
export function withinLimits<Drawn extends unknown[], Result extends boolean | void>(
  body: (...drawn: Drawn) => Result,
): (...drawn: Drawn) => Result {
  return (...drawn) => {
    const [workedMs, bytes] = [threadWorkedMs(), takenBytes()];
    const result = body(...drawn);
    if (threadWorkedMs() - workedMs <= turnWorkedMsMax && takenBytes() - bytes <= keptBytesMax) return result;
    const [first] = costFaults(measured(() => body(...drawn)));
    if (first !== undefined) throw new Error(`the case ${first.kind}: ${first.because}`);
    return result;
  };
}

function measured(work: () => unknown): RequestCost {
  collectGarbage();
  const before = { workedMs: threadWorkedMs(), bytes: takenBytes() };
  work();
  const turnWorkedMs = threadWorkedMs() - before.workedMs;
  collectGarbage();
  return { turnWorkedMs, keptBytes: takenBytes() - before.bytes };
}
