import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export interface SeenWriters extends AsyncDisposable {
  /** Returns the most writers of each identity that ran at one moment. */
  most(): ReadonlyMap<string, number>;
  /** Returns the number of checks so far. */
  looks(): number;
}

/** The pause between two checks; a container takes longer to start. */
const lookIntervalMs = 100;

/**
 * Watches the processes of this machine, on which the containers of every node of a lab cluster
 * run, including containers of a node that is cut off, which the API may not list. A writer is the
 * first process of a container whose command line has `marker`; its identity is its host name.
 */
export function watchWriters(marker: string): SeenWriters {
  const most = new Map<string, number>();
  const others = new Set<string>();
  let looks = 0;
  let isWanted = true;
  const look = async () => {
    const running = new Map<string, number>();
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid) || others.has(pid)) continue;
      const identity = await identityOf(pid, marker);
      if (identity === undefined) others.add(pid);
      else running.set(identity, (running.get(identity) ?? 0) + 1);
    }
    for (const [identity, count] of running) most.set(identity, Math.max(count, most.get(identity) ?? 0));
    looks += 1;
    // A process id is reused at some time, and a process may become a writer.
    if (looks % 5 === 0) others.clear();
  };
  const done = (async () => {
    while (isWanted) {
      await look();
      await sleep(lookIntervalMs);
    }
  })();
  return {
    most: () => most,
    looks: () => looks,
    [Symbol.asyncDispose]: async () => {
      isWanted = false;
      await done;
    },
  };
}

/** Returns undefined for a process that is not a writer, or that no longer exists. */
async function identityOf(pid: string, marker: string): Promise<string | undefined> {
  try {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8");
    if (!commandLine.includes(marker)) return undefined;
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    // A container's main process is in several pid namespaces, and has process id 1 in the
    // innermost.
    if (!/^NSpid:(?:\t\d+)+\t1$/m.test(status)) return undefined;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    return /(?:^|\0)HOSTNAME=([^\0]*)/.exec(environment)?.[1];
  } catch {
    return undefined;
  }
}
