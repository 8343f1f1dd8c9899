import type { Clock } from "@kintsugi/clock";

export interface StreamStartsOptions {
  /** Limit of concurrently starting processes of one pod. */
  readonly podMax: number;
  /** The time after which a process that has not ended counts as started. */
  readonly startMs: number;
}

/**
 * CRI does not report that a session's process has started. At each end of a process, the runtime's
 * watcher of a pod waits for all processes of the pod that are starting: with 64 of them, it
 * returned no statistics for 20 to 100 s. A start takes about 0.1 s.
 */
const startLimits: StreamStartsOptions = { podMax: 8, startMs: 1_000 };

/** A process that is starting. */
export interface StreamStart {
  /** Records that the process has ended, or could not be started. */
  over(): void;
}

interface PodStarts {
  starting: number;
  /** Has at most as many entries as the pod may have streams. */
  readonly waiting: Set<() => void>;
}

/** Starts the sessions of a pod a few at a time, in the order of their arrival. */
export class StreamStarts {
  readonly #clock: Pick<Clock, "after">;
  readonly #options: StreamStartsOptions;
  readonly #pods = new Map<string, PodStarts>();

  constructor({ clock }: { clock: Pick<Clock, "after"> }, options = startLimits) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Waits for the turn of a session. @throws the signal's reason. */
  async wait(podUid: string, signal: AbortSignal): Promise<StreamStart> {
    signal.throwIfAborted();
    const pod = this.#pods.get(podUid) ?? { starting: 0, waiting: new Set() };
    this.#pods.set(podUid, pod);
    if (pod.starting >= this.#options.podMax) await waitIn(pod.waiting, signal);
    else pod.starting++;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      const [next] = pod.waiting;
      if (next !== undefined) next();
      else if (--pod.starting === 0) this.#pods.delete(podUid);
    };
    this.#clock.after(this.#options.startMs, over);
    return { over };
  }
}

/** The slot passes directly to the next session. */
function waitIn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(take);
      reject(signal.reason as Error);
    };
    const take = () => {
      waiting.delete(take);
      signal.removeEventListener("abort", leave);
      resolve();
    };
    waiting.add(take);
    signal.addEventListener("abort", leave, { once: true });
  });
}
