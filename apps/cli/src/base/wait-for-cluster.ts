import { isConditionTrue, type Node, nodes, serviceAccounts } from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { type ControlClient, type SupervisorStatus } from "@kintsugi/lab";
import { CommandError } from "./command.ts";
import type { CrashWatch } from "./crash-watch.ts";
import type { Terminal } from "../output/terminal.ts";

/** The time between two checks of a state that is expected any moment. */
const lookAgainMs = 20;
/** The time between two checks of processes that may exit repeatedly. */
const crashLookMs = 500;

interface WaitDeps {
  clock: Clock;
  signal: AbortSignal;
  /**
   * The name of a cluster of this host; absent for other clusters, whose status no command reports.
   */
  cluster?: string;
  /** Absent for clusters of other hosts. */
  crashes?: CrashWatch;
}

/** The command that a user should run when a wait takes too long. */
function statusOf({ cluster }: WaitDeps): string {
  return cluster === undefined ? "" : `\`kintsugi status --name ${cluster}\`, `;
}

/**
 * Calls `look` until its result is not undefined. @throws CommandError with `late()` after
 * `waitMs`, and immediately when a process of the cluster exits repeatedly.
 */
export async function waitFor<T>(
  deps: WaitDeps,
  options: { waitMs: number; late: () => string | Promise<string> },
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadlineMs = deps.clock.monotonicMs() + options.waitMs;
  let crashLookAtMs = deps.clock.monotonicMs();
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    const nowMs = deps.clock.monotonicMs();
    if (nowMs > deadlineMs) throw new CommandError(await options.late());
    if (nowMs >= crashLookAtMs) {
      const hopeless = await deps.crashes?.hopeless();
      if (hopeless !== undefined) throw new CommandError(hopeless);
      crashLookAtMs = nowMs + crashLookMs;
    }
    await deps.clock.sleep(lookAgainMs, deps.signal);
  }
}

/** Waits for the API server's /readyz. */
export function waitForApi(deps: WaitDeps, client: Client, waitMs: number): Promise<true> {
  const late = async () => {
    const words = (await deps.crashes?.lastWords("api-server")) ?? "; see its log";
    return `the API server is not ready after ${waitMs / 1000} s${words}`;
  };
  return waitFor(deps, { waitMs, late }, async () => {
    const attempt = AbortSignal.any([deps.signal, AbortSignal.timeout(waitMs)]);
    return client.call({ method: "GET", path: "/readyz", signal: attempt }).then(
      () => true as const,
      () => undefined,
    );
  });
}

/**
 * Waits until the supervisor has done all its steps. @throws CommandError with the step that
 * failed.
 */
export function waitForSupervisor(deps: WaitDeps, control: ControlClient, waitMs: number): Promise<SupervisorStatus> {
  const late = () =>
    `the cluster's processes are not all started after ${waitMs / 1000} s; see ${statusOf(deps)}the supervisor's log`;
  return waitFor(deps, { waitMs, late }, async () => {
    const status = await control.status();
    const failed = status?.steps.find((step) => step.error !== undefined);
    if (failed) throw new CommandError(`${failed.name}: ${failed.error}`);
    return status?.settled ? status : undefined;
  });
}

/**
 * Taints that repel pods from a node until controllers have observed it Ready and set it up. A
 * cordoned node has another taint, which its administrator has set.
 */
const settlingTaints: readonly string[] = [
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
  "node.cloudprovider.kubernetes.io/uninitialized",
];

/** Explains why pods cannot be bound to a node that has just started; undefined when they can. */
function whyClosed(node: Node | undefined): string | undefined {
  if (!isConditionTrue(node?.status?.conditions, "Ready")) return "not Ready";
  const taint = node?.spec?.taints?.find(({ key }) => settlingTaints.includes(key));
  return taint && `Ready, but still tainted ${taint.key}`;
}

/**
 * The last step of a start: it waits until pods are accepted, and bound to each of the named nodes,
 * and shows the number of nodes that are done.
 */
export function stepUntilUsable(
  { terminal, ...deps }: WaitDeps & { terminal: Terminal },
  client: Client,
  options: { names: readonly string[]; waitMs: number },
): Promise<void> {
  const { names, waitMs } = options;
  const label = (open: number) => `Nodes ${open}/${names.length} Ready`;
  return terminal.step(label(0), async (update) => {
    const onProgress = (open: number) => update(label(open));
    await waitForNodes(deps, client, { names, waitMs, onProgress });
    await waitForDefaultAccount(deps, client, waitMs);
  });
}

/**
 * Waits until all the named nodes are Ready and lack the taints of a start, and reports their
 * number after each check.
 */
async function waitForNodes(
  deps: WaitDeps,
  client: Client,
  options: { names: readonly string[]; waitMs: number; onProgress: (open: number) => void },
): Promise<void> {
  let closed: readonly string[] = options.names;
  const late = async () => {
    const first = closed[0]?.split(" ")[0] ?? "";
    const words = (await deps.crashes?.lastWords(`kubelet@${first}`)) ?? "";
    return `after ${options.waitMs / 1000} s no pod can be bound to these nodes: ${closed.join(", ")}; see ${statusOf(deps)}their kubelets' logs and the controller-manager's${words.replace("; the last line of its log", "; the last line of")}`;
  };
  await waitFor(deps, { waitMs: options.waitMs, late }, async () => {
    const { items } = await client.list(nodes, { signal: deps.signal });
    const byName = new Map(items.map((node) => [node.metadata.name, node]));
    closed = options.names.flatMap((name) => {
      const because = whyClosed(byName.get(name));
      return because === undefined ? [] : `${name} (${because})`;
    });
    options.onProgress(options.names.length - closed.length);
    return closed.length === 0 || undefined;
  });
}

/**
 * Pods without a ServiceAccount use the namespace's default account, and are rejected before a
 * controller has created it.
 */
async function waitForDefaultAccount(deps: WaitDeps, client: Client, waitMs: number): Promise<void> {
  const account = { namespace: "default", name: "default" };
  const late = () =>
    `after ${waitMs / 1000} s there is no ServiceAccount "default" in the namespace "default", so no pod is accepted there; see the controller-manager's log`;
  await waitFor(deps, { waitMs, late }, () => client.find(serviceAccounts, account, { signal: deps.signal }));
}
