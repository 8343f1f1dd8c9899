import { connect, type NetConnectOpts } from "node:net";
import type { Clock } from "@kintsugi/clock";

/** Resolves with true once a program listens at the address, or with false after `waitMs`. */
export async function waitUntilListens(clock: Clock, where: NetConnectOpts, waitMs: number): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  while (!(await listens(where))) {
    if (clock.monotonicMs() > deadlineMs) return false;
    await clock.sleep(10);
  }
  return true;
}

/** Reports whether a server accepts connections at the address. */
export function listens(where: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(where);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
