import { type Clock, onAbort } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError, type RuntimeEvent } from "../../container-runtime.ts";

/** The calls of a runtime that return an answer. */
export type CallName = Exclude<keyof ContainerRuntime, "events" | "close">;

/** The calls that a kubelet makes for pods that are created, crash and are removed. */
export const podCalls: readonly CallName[] = [
  "runPodSandbox",
  "stopPodSandbox",
  "removePodSandbox",
  "podSandboxStatus",
  "listPodSandboxes",
  "createContainer",
  "startContainer",
  "stopContainer",
  "removeContainer",
  "containerStatus",
  "listContainers",
  "imageStatus",
];

export interface RuntimeCall {
  name: CallName;
  /** The arguments without the signal. */
  args: readonly unknown[];
  atMs: number;
}

/** The faults between a kubelet and its runtime. */
export interface RuntimeFaults {
  /**
   * Runs before the call has any effect. Throw to reject it, wait to delay it, never resolve to let
   * it hang.
   */
  before?(call: RuntimeCall): void | Promise<void> | undefined;
  /** Runs after the work is done. Throw to lose the answer, wait to delay it. */
  after?(call: RuntimeCall): void | Promise<void> | undefined;
  /** Returns another answer instead of `answer`: for example a list that lags behind the events. */
  answer?(call: RuntimeCall, answer: unknown): unknown;
  /**
   * Called before an event is delivered. Return false to drop it, wait to delay it and all later
   * events.
   */
  deliver?(event: RuntimeEvent): boolean | Promise<boolean>;
}

export interface FaultyOptions {
  faults?: RuntimeFaults;
  /** The time limit that the adapter would set. Default 2 min. */
  callTimeoutMs?: number;
  onCall?(call: RuntimeCall): void;
  /**
   * The calls in which the runtime inspects its signal; default all. The other calls are made
   * without a signal.
   */
  interruptible?: ReadonlySet<CallName>;
}

/** The position of each call's signal. */
const signalIndex: Readonly<Record<CallName, number>> = {
  version: 0,
  status: 0,
  updatePodCidr: 1,
  appliesCdi: 0,
  runPodSandbox: 1,
  stopPodSandbox: 1,
  removePodSandbox: 1,
  podSandboxStatus: 1,
  listPodSandboxes: 1,
  createContainer: 1,
  startContainer: 1,
  stopContainer: 2,
  removeContainer: 1,
  containerStatus: 1,
  listContainers: 1,
  updateContainerResources: 2,
  reopenContainerLog: 1,
  execSync: 3,
  exec: 1,
  attach: 1,
  portForward: 2,
  listImages: 0,
  imageStatus: 1,
  pullImage: 2,
  removeImage: 1,
  imageFsInfo: 0,
  listContainerStats: 1,
  listPodSandboxStats: 1,
};

/**
 * Returns the runtime with injected faults on requests and answers. A call ends at its signal or
 * time limit despite every fault. Its work may or may not have been done by then, as with a call
 * over a socket.
 */
export function faultyRuntime(clock: Clock, runtime: ContainerRuntime, options: FaultyOptions): ContainerRuntime {
  const { faults = {}, callTimeoutMs = 120_000, interruptible } = options;
  const through = (name: CallName) => {
    const at = signalIndex[name];
    const takesSignal = interruptible?.has(name) ?? true;
    const target = runtime[name] as (...args: unknown[]) => Promise<unknown>;
    return async (...all: unknown[]): Promise<unknown> => {
      const outer = all[at] as AbortSignal | undefined;
      const args = all.slice(0, at);
      const call: RuntimeCall = { name, args, atMs: clock.nowMs() };
      options.onCall?.(call);
      if (outer?.aborted) throw cancelled(name);
      const limit = { name, outer, timeoutMs: timeLimitMs(call, callTimeoutMs) };
      const delay = faults.before?.(call);
      if (delay === undefined && !takesSignal) {
        const answer = answered(faults, call, await target(...args));
        const afterwards = faults.after?.(call);
        return afterwards === undefined ? answer : limited(clock, () => afterwards.then(() => answer), limit);
      }
      const work = async (ending: Ending) => {
        await delay;
        // The caller no longer waits for a delayed call, and a socket would also have dropped the
        // call.
        if (ending.hasCome) return undefined;
        const padding = Array.from({ length: at - args.length }, () => undefined);
        const answer = await (takesSignal ? target(...args, ...padding, ending.signal) : target(...args));
        await faults.after?.(call);
        return answered(faults, call, answer);
      };
      return limited(clock, work, limit);
    };
  };
  const calls = Object.fromEntries((Object.keys(signalIndex) as CallName[]).map((name) => [name, through(name)]));
  return {
    ...(calls as unknown as Omit<ContainerRuntime, "events" | "close">),
    events: (signal) => deliveredEvents(runtime.events(signal), faults),
    close: () => runtime.close(),
  };
}

function answered(faults: RuntimeFaults, call: RuntimeCall, answer: unknown): unknown {
  return faults.answer ? faults.answer(call, answer) : answer;
}

async function* deliveredEvents(events: AsyncIterable<RuntimeEvent>, faults: RuntimeFaults) {
  for await (const event of events) {
    // Most streams deliver all events at once, and another turn of the loop for each event would
    // slow a simulation down.
    const delivered = faults.deliver?.(event);
    if ((typeof delivered === "object" ? await delivered : delivered) !== false) yield event;
  }
}

/**
 * The limits are the adapter's: a sandbox has twice the time, stopping and commands have their own
 * time in addition, pulls and endless commands have no limit.
 */
function timeLimitMs({ name, args }: RuntimeCall, callTimeoutMs: number): number {
  if (name === "pullImage") return Number.POSITIVE_INFINITY;
  if (name === "runPodSandbox") return 2 * callTimeoutMs;
  if (name === "stopContainer") return callTimeoutMs + Number(args[1]) * 1000;
  if (name === "execSync") {
    return Number(args[2]) === 0 ? Number.POSITIVE_INFINITY : callTimeoutMs + Number(args[2]) * 1000;
  }
  return callTimeoutMs;
}

function cancelled(name: CallName): RuntimeError {
  return new RuntimeError("cancelled", `${name} was cancelled`);
}

/**
 * Ends a call whose caller no longer waits. Most calls do not use the signal, so it is made only at
 * its first use.
 */
class Ending {
  #reason: Error | undefined;
  #controller: AbortController | undefined;

  get hasCome(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  come(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** Performs `work` until its signal aborts or its time limit expires. */
function limited<T>(
  clock: Clock,
  work: (ending: Ending) => Promise<T>,
  limit: { name: CallName; outer: AbortSignal | undefined; timeoutMs: number },
): Promise<T> {
  const { name, outer, timeoutMs } = limit;
  return new Promise<T>((resolve, reject) => {
    const ending = new Ending();
    const fail = (error: RuntimeError) => {
      settle();
      reject(error);
      ending.come(error);
    };
    const timer = Number.isFinite(timeoutMs)
      ? clock.after(timeoutMs, () =>
          fail(new RuntimeError("deadlineExceeded", `${name}: no answer within ${timeoutMs} ms`)),
        )
      : undefined;
    const stopListening = outer && onAbort(outer, () => fail(cancelled(name)));
    const settle = () => {
      timer?.cancel();
      stopListening?.();
    };
    work(ending).then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error as Error);
      },
    );
  });
}
