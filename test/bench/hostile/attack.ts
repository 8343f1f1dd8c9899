import type { ServerAccess } from "../api/http-connection.ts";

/**
 * One way to overload a server. It runs in a separate process, so that it does not slow down the
 * measuring process.
 */
export interface Attack {
  /** "silent-sockets": a stable identifier for programs. */
  readonly id: string;
  /** A description of the attack for people. */
  readonly what: string;
  /**
   * The number of files that the attacked server may have open; default as many as this process.
   */
  readonly openFilesMax?: number;
  /** Attacks until the signal aborts. A connection that the server closes is opened again. */
  run(target: AttackTarget, signal: AbortSignal): Promise<void>;
}

export interface AttackTarget {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  /** The administrator's access, for attacks by a known client. */
  readonly admin: ServerAccess;
}

/** A list of this path has about 30 MB. */
export const largeList = "/api/v1/namespaces/default/configmaps";

/**
 * Runs `one` `count` times in parallel. Restarts each run when it has ended, at most every 50 ms.
 */
export async function keepBusy(count: number, one: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const keep = async () => {
    while (!signal.aborted) {
      await one().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  await Promise.all(Array.from({ length: count }, keep));
}
