import type { Clock } from "@kintsugi/clock";
import { waitUntilListens } from "../host/listening.ts";
import { runCommand } from "@kintsugi/daemon";
import { ctrArguments } from "./node-containers.ts";

/** containerd listens about 30 ms after its start, but much later on a busy host. */
const listenWaitMaxMs = 30_000;

/** Images of several gigabytes are unpacked within this time, even on a slow disk. */
const importMaxMs = 10 * 60_000;

/** Resolves once a program listens on the socket. @throws Error after 30 s. */
export async function waitForSocket(clock: Clock, socket: string): Promise<void> {
  if (await waitUntilListens(clock, { path: socket }, listenWaitMaxMs)) return;
  throw new Error(`nothing listens on ${socket} after ${listenWaitMaxMs / 1000} s`);
}

/** Imports the images of an archive into a containerd, in the namespace that CRI uses. */
export async function importImages(socket: string, archive: string): Promise<void> {
  await runCommand("ctr", [...ctrArguments(socket), "images", "import", archive], { timeoutMs: importMaxMs });
}
