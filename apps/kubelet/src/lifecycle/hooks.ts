import type { LifecycleHandler } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Prober, ProbeTarget } from "../probes/prober.ts";

/** A postStart hook has no deadline of its own upstream; one that never ends would hold its pod for ever, so it gets this. */
const postStartTimeoutMs = 10 * 60_000;

export interface HookDeps {
  clock: Clock;
  prober: Prober;
}

/** Runs a container's hooks. Resolves with why one failed. */
export async function runHook(
  deps: HookDeps,
  {
    handler,
    target,
    timeoutMs = postStartTimeoutMs,
  }: { handler: LifecycleHandler; target: ProbeTarget; timeoutMs?: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (handler.sleep) {
    await deps.clock.sleep(Math.min(handler.sleep.seconds * 1000, timeoutMs), signal);
    return undefined;
  }
  const outcome = await deps.prober.attempt(handler, target, { timeoutMs, signal });
  switch (outcome.kind) {
    case "success":
    case "warning":
      return undefined;
    case "failure":
      return outcome.output;
    case "errored":
      return outcome.because;
  }
}
