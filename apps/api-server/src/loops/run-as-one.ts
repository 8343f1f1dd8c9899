import type { Logger, Metrics } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { type Clock, type Random, untilAborted } from "@kintsugi/clock";
import { runForElection } from "@kintsugi/controller";
import { type LoopBody, runLoops } from "./run-loops.ts";

export interface RunAsOneDeps {
  client: Client;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics: Metrics;
}

/** The times of upstream's leader elections. */
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/**
 * Runs the loops on one of the servers that share their objects: the holder of the Lease
 * kube-system/kintsugi-api-server. After a change of holders, the loops of both holders may run for
 * a moment. This is harmless, because each write of the loops is decided by its commit.
 */
export async function runAsOne(
  deps: RunAsOneDeps,
  { identity, loops }: { identity: string; loops: readonly LoopBody[] },
  signal: AbortSignal,
): Promise<void> {
  await runForElection(deps, { namespace: "kube-system", name: "kintsugi-api-server", identity, ...times }, (lead) =>
    lead(signal, async (stop) => {
      const running = runLoops(loops, stop);
      // The loops do not wait for a write to an etcd that does not answer. A server that has lost
      // the Lease continues to answer from memory.
      running.catch(() => {});
      await Promise.race([running, untilAborted(stop)]);
    }),
  );
}
