import { once } from "node:events";
import { createServer, type Server } from "node:net";
import type { Clock } from "@kintsugi/clock";

/** Work under the lock takes a tenth of a second; a holder that takes this long is stuck. */
const waitMaxMs = 30_000;
const tryAgainMs = 10;

/**
 * Runs `work` while no other process on this host runs its own work under the lock: work that finds
 * a free name or address and then reserves it, or removes resources that all clusters share. The
 * lock is an abstract socket name (unix(7)): it does not leave a file, always ends with its
 * process, and exists once per network namespace, like the networks and ports that are chosen under
 * the lock.
 * @throws Error when the lock is not free within 30 s.
 */
export async function withHostLock<T>(clock: Clock, work: () => Promise<T>, name = "clusters"): Promise<T> {
  const deadlineMs = clock.monotonicMs() + waitMaxMs;
  let lock = await tryToHold(name);
  while (lock === undefined) {
    if (clock.monotonicMs() > deadlineMs)
      throw new Error(
        `another process has held the abstract socket @${addressOf(name)} for ${waitMaxMs / 1000} s: \`ss -xlp\` names it`,
      );
    await clock.sleep(tryAgainMs);
    lock = await tryToHold(name);
  }
  try {
    return await work();
  } finally {
    lock.close();
  }
}

function addressOf(name: string): string {
  return `kintsugi/${name}`;
}

async function tryToHold(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(`\0${addressOf(name)}`);
  try {
    await once(server, "listening");
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return undefined;
    throw new Error(`the lock @${addressOf(name)} cannot be taken`, { cause: error });
  }
}
