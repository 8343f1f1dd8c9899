import type { LifecycleHandler } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { Prober, ProbeTarget } from "./prober.ts";

/** A postStart hook has no deadline of its own upstream; one that never ends would hold its pod for ever, so it gets this. */
const postStartTimeoutMs = 10 * 60_000;

export interface HookDeps {
  clock: Clock;
  prober: Prober;
}

/** Runs a container's hooks, in upstream's words (lifecycle/handlers.go). Resolves with why one failed. */
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
  const { container, namespace, podName } = target;
  const where = `for Container "${container.name}" in Pod "${podName}_${namespace}"`;
  // Upstream knows the field only so that old objects can be read.
  if (!handler.exec && !handler.httpGet) return `invalid handler ${where}: tcpSocket is not supported in hooks`;
  const outcome = await deps.prober.attempt(handler, target, { timeoutMs, signal, purpose: "lifecycle" });
  switch (outcome.kind) {
    case "success":
    case "warning":
      return undefined;
    case "failure":
      // A hook tells; what the other side makes of it is its own business.
      if (handler.httpGet && outcome.answered) return undefined;
      return handler.exec
        ? `Exec lifecycle hook ([${handler.exec.command?.join(" ")}]) ${where} failed - message: ${JSON.stringify(outcome.output)}`
        : `HTTP lifecycle hook (${handler.httpGet?.path ?? "/"}) ${where} failed - error: ${outcome.output}`;
    case "errored":
      return outcome.because;
  }
}
