import { connect, type NetConnectOpts } from "node:net";
import type { Clock } from "@kintsugi/clock";
import { ctrAt } from "./node-containers.ts";

/** containerd listens some 30 ms after its start; on a host that is busy with everything else, much later. */
const listenWaitMaxMs = 30_000;

/** Resolves once something listens on the socket. @throws Error after 30 s. */
export async function waitForSocket(clock: Clock, socket: string): Promise<void> {
  const deadlineMs = clock.monotonicMs() + listenWaitMaxMs;
  while (!(await listens({ path: socket }))) {
    if (clock.monotonicMs() > deadlineMs)
      throw new Error(`nothing listens on ${socket} after ${listenWaitMaxMs / 1000} s`);
    await clock.sleep(10);
  }
}

/** Gives a containerd the images of an archive, in the namespace that CRI uses. */
export async function importImages(socket: string, archive: string): Promise<void> {
  await ctrAt(socket)("images", "import", archive);
}

/** Whether something takes connections there. */
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
