import type { Clock } from "@kintsugi/clock";
import { waitUntilListens } from "../host/listening.ts";
import { runCommand } from "../host/run-command.ts";
import { ctrArguments } from "./node-containers.ts";

/**
 * containerd listens some 30 ms after its start; on a host that is busy with everything else, much
 * later.
 */
const listenWaitMaxMs = 30_000;

/** Images of several gigabytes are unpacked within this, also on a slow disk. */
const importMaxMs = 10 * 60_000;

/** Resolves once something listens on the socket. @throws Error after 30 s. */
export async function waitForSocket(clock: Clock, socket: string): Promise<void> {
  if (await waitUntilListens(clock, { path: socket }, listenWaitMaxMs)) return;
  throw new Error(`nothing listens on ${socket} after ${listenWaitMaxMs / 1000} s`);
}

/** Gives a containerd the images of an archive, in the namespace that CRI uses. */
export async function importImages(socket: string, archive: string): Promise<void> {
  await runCommand("ctr", [...ctrArguments(socket), "images", "import", archive], { timeoutMs: importMaxMs });
}
