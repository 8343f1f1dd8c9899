import type { ApiObject } from "@kintsugi/api";
import { backoffDelayMs, type Clock } from "@kintsugi/clock";
import { type Api, RequestRefused } from "./api.ts";

/** Receives the objects of one kind as they change. */
export interface Receiver<T> {
  /** All objects, at the beginning and whenever changes were missed. */
  readonly onList: (items: readonly T[]) => void;
  readonly onChange: (object: T) => void;
  readonly onGone: (object: T) => void;
  /** Called when the reading has failed and is retried, and with undefined once it succeeds. */
  readonly onProblem: (problem: RequestRefused | undefined) => void;
}

export interface FollowDeps {
  readonly api: Api;
  readonly clock: Clock;
}

/**
 * Delay between retries: a server that restarts is back within seconds, and rights that are granted
 * later are detected, too.
 */
const backoff = { initialMs: 500, maxMs: 15_000, factor: 2 };
/** A watch that ends earlier did not end by its timeout. */
const watchMsMin = 1_000;

interface ListAnswer<T> {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly T[];
}

interface WatchAnswer<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: T;
}

/** Lists, then watches, repeatedly until the signal aborts. */
export async function followKind<T extends ApiObject>(
  deps: FollowDeps,
  { path, receiver }: { path: string; receiver: Receiver<T> },
  signal: AbortSignal,
): Promise<void> {
  const { api, clock } = deps;
  const work = async (worked: () => void) => {
    const list = (await api.get(path, signal)) as ListAnswer<T>;
    receiver.onList(list.items);
    receiver.onProblem(undefined);
    worked();
    let version = list.metadata.resourceVersion;
    // A watch ends by its timeout and continues at its last revision, until the server no longer
    // has that revision.
    let begunMs = -Infinity;
    for (;;) {
      if (clock.monotonicMs() - begunMs < watchMsMin) return;
      begunMs = clock.monotonicMs();
      const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
      for await (const line of api.lines(`${path}?${query}`, signal)) {
        const { type, object } = line as WatchAnswer<T>;
        if (type === "ERROR") return;
        version = object.metadata.resourceVersion ?? version;
        if (type === "DELETED") receiver.onGone(object);
        else if (type !== "BOOKMARK") receiver.onChange(object);
      }
    }
  };
  await repeatUntilAborted(clock, { work, onProblem: receiver.onProblem }, signal);
}

interface PollOptions<T> {
  readonly path: string;
  /** The pause between two readings, by the length of the list. */
  readonly intervalMs: (items: number) => number;
  readonly receiver: Pick<Receiver<T>, "onList" | "onProblem">;
}

/**
 * Reads a list repeatedly, for kinds that change seldom, for which a watch connection is not
 * worthwhile.
 */
export async function poll<T>(
  deps: FollowDeps,
  { path, intervalMs, receiver }: PollOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const work = async (worked: () => void) => {
    for (;;) {
      const { items } = (await deps.api.get(path, signal)) as ListAnswer<T>;
      receiver.onList(items);
      receiver.onProblem(undefined);
      worked();
      await deps.clock.sleep(intervalMs(items.length), signal);
    }
  };
  await repeatUntilAborted(deps.clock, { work, onProblem: receiver.onProblem }, signal);
}

interface Repeated {
  /** Calls `worked` as soon as the work has succeeded, regardless of its later end. */
  readonly work: (worked: () => void) => Promise<void>;
  readonly onProblem: (problem: RequestRefused) => void;
}

/** Repeats work until the signal aborts; after failures with increasing delays. */
export async function repeatUntilAborted(
  clock: Clock,
  { work, onProblem }: Repeated,
  signal: AbortSignal,
): Promise<void> {
  let failures = 1;
  while (!signal.aborted) {
    try {
      await work(() => (failures = 1));
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error instanceof RequestRefused ? error : new RequestRefused(0, String(error)));
      failures++;
    }
    await clock.sleep(backoffDelayMs(failures, backoff), signal).catch(() => {});
  }
}
