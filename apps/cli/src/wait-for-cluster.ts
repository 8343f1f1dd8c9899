import { isConditionTrue, type Node, nodes } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ControlClient, type SupervisorStatus } from "@kintsugi/lab";
import { CommandError } from "./commands/command.ts";

/** Between two looks at something that is expected any moment. */
const lookAgainMs = 20;

interface WaitDeps {
  clock: Clock;
  signal: AbortSignal;
}

/** Calls `look` until it gives something else than undefined. @throws CommandError with `late()` after `waitMs`. */
export async function waitFor<T>(
  deps: WaitDeps,
  options: { waitMs: number; late: () => string },
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadlineMs = deps.clock.monotonicMs() + options.waitMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (deps.clock.monotonicMs() > deadlineMs) throw new CommandError(options.late());
    await deps.clock.sleep(lookAgainMs, deps.signal);
  }
}

/** Waits for the API server's /readyz. */
export function waitForApi(deps: WaitDeps, client: Client, waitMs: number): Promise<true> {
  const late = () => `the API server is not ready after ${waitMs / 1000} s; see \`kintsugi status\` and its log`;
  return waitFor(deps, { waitMs, late }, async () => {
    const attempt = AbortSignal.any([deps.signal, AbortSignal.timeout(waitMs)]);
    return client.call({ method: "GET", path: "/readyz", signal: attempt }).then(
      () => true as const,
      () => undefined,
    );
  });
}

/** Waits until the supervisor has done all its steps. @throws CommandError with the step that failed. */
export function waitForSupervisor(deps: WaitDeps, control: ControlClient, waitMs: number): Promise<SupervisorStatus> {
  const late = () => `the cluster's processes are not all started after ${waitMs / 1000} s; see \`kintsugi status\``;
  return waitFor(deps, { waitMs, late }, async () => {
    const status = await control.status();
    const failed = status?.steps.find((step) => step.error !== undefined);
    if (failed) throw new CommandError(`${failed.name}: ${failed.error}`);
    return status?.settled ? status : undefined;
  });
}

/** Waits until all the named nodes are Ready, telling after each how many are. */
export function waitForNodes(
  deps: WaitDeps,
  client: Client,
  options: { names: readonly string[]; waitMs: number; onProgress: (ready: number) => void },
): Promise<readonly Node[]> {
  let notReady: readonly string[] = options.names;
  const late = () =>
    `after ${options.waitMs / 1000} s these nodes are not Ready: ${notReady.join(", ")}; see \`kintsugi status\` and their kubelets' logs`;
  return waitFor(deps, { waitMs: options.waitMs, late }, async () => {
    const { items } = await client.list(nodes, { signal: deps.signal });
    const ready = new Set(
      items.filter((node) => isConditionTrue(node.status?.conditions, "Ready")).map((node) => node.metadata.name),
    );
    notReady = options.names.filter((name) => !ready.has(name));
    options.onProgress(options.names.length - notReady.length);
    return notReady.length === 0 ? items : undefined;
  });
}
