import { join } from "node:path";
import type { Clock } from "@kintsugi/clock";
import type { KnownCluster } from "../cluster/cluster-files.ts";
import { isAlive, signalProcess } from "../host/process-identity.ts";
import { readPidFile } from "../host/spawn-component.ts";

/** Longest wait for the end of a process after SIGKILL. */
const endMaxMs = 5_000;

/** Ends the cluster's supervisor; the processes that it has started continue to run. */
export async function endSupervisor(clock: Clock, { paths }: KnownCluster): Promise<void> {
  const supervisor = await readPidFile(join(paths.run, "supervisor.pid"));
  if (supervisor === undefined || !(await isAlive(supervisor))) return;
  await signalProcess(supervisor, "SIGKILL");
  const deadlineMs = clock.monotonicMs() + endMaxMs;
  while ((await isAlive(supervisor)) && clock.monotonicMs() < deadlineMs) await clock.sleep(10);
}
