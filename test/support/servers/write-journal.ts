import { configMaps, isApiError } from "@kintsugi/api";
import { type ClusterAccess, ConnectionError, createHttpClient } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";

/** A journal of a cluster's acknowledged writes, and of every read that missed one. */
export interface WriteJournal {
  /** The names of ConfigMaps whose creation was acknowledged. */
  readonly acknowledged: readonly string[];
  /** The names of acknowledged ConfigMaps that an immediate read did not find. */
  readonly missed: readonly string[];
  /** The errors that remained after retries. */
  readonly failures: readonly string[];
  /** Returns the number of creations that were repeated, because their outcome was unknown. */
  retries(): number;
  /** Returns the longest time between two acknowledged writes since the last call. */
  takeLongestStallMs(): number;
  /** Returns the acknowledged ConfigMaps that no longer exist. */
  lost(): Promise<string[]>;
  end(): Promise<void>;
}

/**
 * The pause between two writes, because the journal should detect faults, not load two processors.
 */
const pauseMs = 50;
const callTimeoutMs = 30_000;
/** An attempt without a majority of etcd ends after 10 s. */
const attemptsMax = 20;

/**
 * Creates ConfigMaps one after another until it is ended, and reads each immediately through
 * another server.
 */
export function keepJournal(
  access: ClusterAccess,
  { prefix, servers }: { prefix: string; servers: readonly string[] },
): WriteJournal {
  const deps = { clock: systemClock, random: systemRandom };
  const clientFrom = (at: number) => {
    const ordered = [...servers.slice(at), ...servers.slice(0, at)];
    return createHttpClient(deps, {
      ...access,
      server: ordered[0] ?? access.server,
      servers: ordered,
      userAgent: "kintsugi-journal",
    });
  };
  const writer = createHttpClient(deps, { ...access, userAgent: "kintsugi-journal" });
  const readers = servers.map((_, at) => clientFrom(at));
  const acknowledged: string[] = [];
  const missed: string[] = [];
  const failures: string[] = [];
  const stop = new AbortController();
  let retries = 0;
  let lastMs = systemClock.monotonicMs();
  let longestMs = 0;
  const noteStall = () => {
    const nowMs = systemClock.monotonicMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  /** Repeats a creation until it is acknowledged, or its own object is found to exist. */
  const create = async (name: string) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const object = { metadata: { namespace: "default", name }, data: { name } };
        await writer.create(configMaps, object, { timeoutMs: callTimeoutMs, signal: stop.signal });
        return;
      } catch (error) {
        if (isApiError(error, "AlreadyExists") && attempt > 1) return;
        if (!isPassing(error) || attempt === attemptsMax) throw error;
        retries++;
        await systemClock.sleep(pauseMs);
      }
    }
  };
  const round = async (name: string, at: number) => {
    try {
      await create(name);
      acknowledged.push(name);
      noteStall();
      const found = await readers[at % readers.length]?.find(
        configMaps,
        { namespace: "default", name },
        { timeoutMs: callTimeoutMs, signal: stop.signal },
      );
      if (found === undefined) missed.push(name);
    } catch (error) {
      if (!stop.signal.aborted) failures.push(`${name}: ${(error as Error).message}`);
    }
  };
  const running = (async () => {
    for (let at = 0; !stop.signal.aborted; at++) {
      await round(`${prefix}-${at}`, at);
      await systemClock.sleep(pauseMs);
    }
  })();
  return {
    acknowledged,
    missed,
    failures,
    retries: () => retries,
    takeLongestStallMs() {
      // A write that is waiting now is included.
      const longest = Math.max(longestMs, systemClock.monotonicMs() - lastMs);
      longestMs = 0;
      return Math.round(longest);
    },
    async lost() {
      // Writes continue while the list is read.
      const before = [...acknowledged];
      const { items } = await writer.list(configMaps, { namespace: "default" });
      const present = new Set(items.map(({ metadata }) => metadata.name));
      return before.filter((name) => !present.has(name));
    },
    async end() {
      stop.abort(new Error("the journal has ended"));
      await running;
      await Promise.all([writer, ...readers].map((client) => client.close()));
    },
  };
}

/** An answer was lost, or the current server cannot reach the objects. */
function isPassing(error: unknown): boolean {
  return error instanceof ConnectionError || isApiError(error, "ServiceUnavailable", "Timeout", "ServerTimeout");
}
