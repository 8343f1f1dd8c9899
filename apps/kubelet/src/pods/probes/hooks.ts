import type { Container, LifecycleHandler } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { BoundPod } from "../../model/bound-pod.ts";
import type { Prober, ProbeTarget } from "./prober.ts";

/**
 * Deadline of a postStart hook. Upstream has no deadline, and a hook that never ends would block
 * its pod forever.
 */
const postStartTimeoutMs = 10 * 60_000;

export interface HookDeps {
  clock: Clock;
  prober: Prober;
}

/** A container with a hook, of a pod with these addresses. */
export interface HookedContainer {
  pod: BoundPod;
  container: Pick<Container, "name" | "ports" | "lifecycle">;
  containerId: string;
  podIps: readonly string[];
}

/** Runs the hooks of containers. */
export class Hooks {
  readonly #deps: HookDeps;

  constructor(deps: HookDeps) {
    this.#deps = deps;
  }

  /** Resolves with the reason why the postStart hook failed. */
  async postStart(hooked: HookedContainer, signal: AbortSignal): Promise<string | undefined> {
    const handler = hooked.container.lifecycle?.postStart;
    return handler && runHook(this.#deps, { handler, target: targetOf(hooked) }, signal);
  }

  /** Runs the preStop hook for at most this time. Resolves with the reason why it failed. */
  preStop(hooked: HookedContainer, graceSeconds: number, signal: AbortSignal): Promise<string | undefined> {
    const handler = hooked.container.lifecycle?.preStop ?? {};
    return runHook(this.#deps, { handler, target: targetOf(hooked), timeoutMs: graceSeconds * 1000 }, signal);
  }
}

function targetOf({ pod, container, containerId, podIps }: HookedContainer): ProbeTarget {
  const { namespace, name: podName } = pod.metadata;
  return { containerId, container, podIp: podIps[0] ?? "", namespace, podName };
}

/**
 * Reports failures in upstream's words (lifecycle/handlers.go). Resolves with the reason why the
 * hook failed.
 */
async function runHook(
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
  // Upstream has the field only so that old objects can be decoded.
  if (!handler.exec && !handler.httpGet) return `invalid handler ${where}: tcpSocket is not supported in hooks`;
  const outcome = await deps.prober.attempt(handler, target, { timeoutMs, signal, purpose: "lifecycle" });
  switch (outcome.kind) {
    case "success":
    case "warning":
      return undefined;
    case "failure":
      // A hook only notifies; the status of the answer does not matter.
      if (handler.httpGet && outcome.answered) return undefined;
      return handler.exec
        ? `Exec lifecycle hook ([${handler.exec.command?.join(" ")}]) ${where} failed - message: ${JSON.stringify(outcome.output)}`
        : `HTTP lifecycle hook (${handler.httpGet?.path ?? "/"}) ${where} failed - error: ${outcome.output}`;
    case "errored":
      return outcome.because;
  }
}
