import {
  countedNoun,
  daemonSets,
  eviction,
  formatKey,
  isApiError,
  keyOf,
  type Node,
  nodes,
  type Pod,
  podDisruptionBudgets,
  pods,
  profiles,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import { budgetReasons, budgetsOf, explainObject, listed, singleLine } from "@kintsugi/explanation";
import { type ClusterWay, commandHere, remediesHere } from "@kintsugi/explanation/commands";
import { CommandError } from "../base/command.ts";
import { drainConditions, type DrainStep } from "./drain-conditions.ts";
import { type DrainOptions, type DrainPlan, type Group, planDrain } from "./plan-drain.ts";

export interface NodeDrainOptions extends DrainOptions {
  /** Undefined: each pod has its own grace period. */
  readonly gracePeriodSeconds: number | undefined;
  /** Undefined: no time limit. */
  readonly timeoutMs: number | undefined;
  /** Evicts only pods with these labels. */
  readonly podSelector: string | undefined;
  readonly dryRun: "none" | "client" | "server";
  readonly reportConditions: boolean;
}

export interface DrainDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** Lines for the user. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** The way in which a printed command connects to the cluster. */
  readonly way: ClusterWay;
}

/**
 * The interval between two rounds; the Eviction API allows another pod as soon as a budget has
 * room.
 */
const roundMs = 1000;
/** Evictions that are requested at the same time. */
const evictionsAtOnceMax = 10;
/** Time limit of the last write of an interrupted drain, as in KEP-5683. */
const lastWriteMs = 5000;

/**
 * Drains one node: cordons it, evicts its pods within their budgets, and waits until they are
 * removed. Every round starts from the present state, so that an interrupted drain continues when
 * it is repeated.
 * @throws CommandError when pods must not be evicted, the time limit has passed, or the caller
 * interrupts.
 */
export async function drainNode(deps: DrainDeps, name: string, options: NodeDrainOptions): Promise<void> {
  const { client, say, signal } = deps;
  const node = await client.get(nodes, { namespace: "", name }, { signal });
  const plan = await readPlan(deps, name, options);
  if (plan.refused.length > 0) throw new CommandError(refusalText(name, plan.refused));
  for (const { because, pods: of } of [...plan.stay, ...plan.warnings]) say(`${because}: ${namesOf(of)}`);
  if (options.dryRun !== "none") return rehearse(deps, { node, plan, options });
  await cordon(deps, node, true);
  const report = (step: DrainStep, message: string) => reportStep(deps, { name, step, message, options });
  await report("started", "The pods of the node are being evicted.");
  try {
    await evictAll(deps, name, options);
  } catch (error) {
    const interrupted = signal.aborted;
    await report(interrupted ? "interrupted" : "failed", singleLine((error as Error).message));
    throw interrupted
      ? new CommandError(
          `interrupted; node ${name} remains cordoned, and \`${commandHere(`kintsugi drain ${name}`, deps.way)}\` continues the drain`,
        )
      : error;
  }
  await report("completed", "All pods that had to be evicted are removed.");
}

/** Cordons or uncordons the node. @returns whether the node changed. */
export async function cordon({ client, signal }: DrainDeps, node: Node, unschedulable: boolean): Promise<boolean> {
  if ((node.spec?.unschedulable === true) === unschedulable) return false;
  const body = { spec: { unschedulable: unschedulable ? true : null } };
  await client.patch(nodes, { namespace: "", name: node.metadata.name ?? "" }, { type: "strategic", body }, { signal });
  return true;
}

/**
 * Reports a step of the drain in the node's conditions. For a caller without that right, the drain
 * continues with a warning.
 */
export async function reportStep(
  { client, clock, say }: Pick<DrainDeps, "client" | "clock" | "say">,
  {
    name,
    step,
    message,
    options,
  }: { name: string; step: DrainStep; message: string; options: Pick<NodeDrainOptions, "reportConditions"> },
): Promise<void> {
  if (!options.reportConditions) return;
  const key = { namespace: "", name };
  try {
    // The signal of the drain may have aborted, so the last report has its own limit.
    const node = await client.get(nodes, key, { timeoutMs: lastWriteMs });
    const conditions = drainConditions(node, step, { message, nowMs: clock.nowMs() });
    const patch = { type: "strategic", body: { status: { conditions } } } as const;
    await client.patch(nodes, key, patch, { subresource: "status", timeoutMs: lastWriteMs });
  } catch (error) {
    say(`warning: the node's conditions do not show this: ${singleLine((error as Error).message)}`);
  }
}

async function evictAll(deps: DrainDeps, name: string, options: NodeDrainOptions): Promise<void> {
  const { clock, signal } = deps;
  const endMs = options.timeoutMs === undefined ? Infinity : clock.monotonicMs() + options.timeoutMs;
  const announced = new Set<string>();
  const once = (line: string) => {
    if (announced.has(line)) return;
    announced.add(line);
    deps.say(line);
  };
  for (;;) {
    signal.throwIfAborted();
    const plan = await readPlan(deps, name, options);
    if (plan.refused.length > 0) throw new CommandError(refusalText(name, plan.refused));
    const left = [...plan.evict, ...plan.ending];
    if (left.length === 0) return;
    const blocked = await evictSome(deps, plan.evict, { options, once });
    for (const line of await waitingLines(deps, { name, blocked, ending: plan.ending })) once(line);
    if (clock.monotonicMs() >= endMs) {
      const text = `${countedNoun(left.length, "pod")} of node ${name} did not end in time: ${namesOf(left)}`;
      throw new CommandError(
        `${text}; the node remains cordoned, and \`${commandHere(`kintsugi explain node ${name}`, deps.way)}\` gives the reasons`,
      );
    }
    await clock.sleep(roundMs, signal);
  }
}

/** Requests the eviction of pods. @returns the pods that a budget protects. */
async function evictSome(
  deps: DrainDeps,
  all: readonly Pod[],
  { options, once }: { options: NodeDrainOptions; once: (line: string) => void },
): Promise<Pod[]> {
  const blocked: Pod[] = [];
  const queue = [...all];
  const work = async () => {
    for (let pod = queue.shift(); pod !== undefined; pod = queue.shift()) {
      deps.signal.throwIfAborted();
      const outcome = await evictOne(deps, pod, options);
      if (outcome === "blocked") blocked.push(pod);
      if (outcome === "evicted") once(`evicting pod ${formatKey(keyOf(pod))}`);
    }
  };
  await Promise.all(Array.from({ length: evictionsAtOnceMax }, work));
  return blocked;
}

async function evictOne(
  { client, signal }: DrainDeps,
  pod: Pod,
  { gracePeriodSeconds, dryRun }: Pick<NodeDrainOptions, "gracePeriodSeconds" | "dryRun">,
): Promise<"evicted" | "blocked" | "gone"> {
  const { name = "", namespace = "", uid } = pod.metadata;
  const deleteOptions = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    // Another pod of the same name, on another node, must not be deleted.
    ...(uid === undefined ? {} : { preconditions: { uid } }),
  };
  const body = { apiVersion: "policy/v1", kind: eviction.kind, metadata: { name, namespace }, deleteOptions };
  const query = dryRun === "server" ? "?dryRun=All" : "";
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction${query}`;
  try {
    await client.call({ method: "POST", path, body, signal });
    return "evicted";
  } catch (error) {
    if (isApiError(error, "TooManyRequests")) return "blocked";
    if (isApiError(error, "NotFound", "Conflict")) return "gone";
    throw error;
  }
}

async function readPlan({ client, signal }: DrainDeps, name: string, options: NodeDrainOptions): Promise<DrainPlan> {
  const fieldSelector = `spec.nodeName=${name}`;
  const selector = options.podSelector === undefined ? {} : { labelSelector: options.podSelector };
  const { items } = await client.list(pods, { fieldSelector, ...selector, signal });
  const { items: sets } = await client.list(daemonSets, { signal });
  const known = new Set(sets.map((set) => formatKey(keyOf(set))));
  return planDrain(items, options, (namespace, set) => known.has(formatKey({ namespace, name: set })));
}

/**
 * Lines about the budgets that delay the drain, with the change that would help, and about
 * terminating pods.
 */
async function waitingLines(
  deps: DrainDeps,
  { name, blocked, ending }: { name: string; blocked: readonly Pod[]; ending: readonly Pod[] },
): Promise<string[]> {
  const { client, clock, signal } = deps;
  const lines: string[] = [];
  for (const namespace of new Set(blocked.map(({ metadata }) => metadata.namespace ?? ""))) {
    const [budgets, all] = await Promise.all([
      client.list(podDisruptionBudgets, { namespace, signal }),
      client.list(pods, { namespace, signal }),
    ]);
    const objects = { poddisruptionbudgets: budgets.items, pods: all.items };
    const world = { objects, timers: profiles.default, nowMs: clock.nowMs() };
    const held = blocked.filter((pod) => pod.metadata.namespace === namespace);
    const holding = new Set(held.flatMap((pod) => budgetsOf(pod, world)));
    const reasons = [...holding].flatMap((budget) => budgetReasons(budget, world));
    const why = reasons.map(({ because, details = [], awaits }) =>
      [because, ...details, `It waits for ${awaits ?? "room"}.`].join(" "),
    );
    lines.push(
      `waiting to evict ${namesOf(held)}: ${why.join(" ") || "the API server asks the client to retry later."}`,
    );
  }
  if (ending.length > 0)
    lines.push(`waiting for ${namesOf(ending)} to end on node ${name}`, ...(await stuckLines(deps, name, ending)));
  return lines;
}

/**
 * Number of pods that are explained one by one; the other pods are likely to wait for the same
 * reason.
 */
const stuckMax = 3;

/** Explains pods that do not end by themselves: a silent node, finalizers, a stuck kubelet. */
async function stuckLines(
  { client, clock, signal, way }: DrainDeps,
  name: string,
  ending: readonly Pod[],
): Promise<string[]> {
  const node = await client.get(nodes, { namespace: "", name }, { signal });
  const world = { objects: { nodes: [node] }, timers: profiles.default, nowMs: clock.nowMs() };
  return ending.slice(0, stuckMax).flatMap((pod) => {
    const [reason] = explainObject("pods", pod, { world }).reasons;
    if (reason === undefined || reason.code === "Terminating") return [];
    const remedies = remediesHere(reason.remedies ?? [], way).flatMap(({ command }) => command ?? []);
    const help = remedies.length === 0 ? "" : ` One of these actions may help: ${remedies.join("; ")}`;
    return [`pod ${formatKey(keyOf(pod))}: ${reason.because}${help}`];
  });
}

async function rehearse(
  deps: DrainDeps,
  { node, plan, options }: { node: Node; plan: DrainPlan; options: NodeDrainOptions },
): Promise<void> {
  const name = node.metadata.name ?? "";
  const mode = options.dryRun === "server" ? "server dry run" : "dry run";
  if (node.spec?.unschedulable !== true) deps.say(`node ${name} would be cordoned (${mode})`);
  for (const pod of plan.evict) {
    const outcome = options.dryRun === "server" ? await evictOne(deps, pod, options) : "evicted";
    const text = outcome === "blocked" ? "would have to wait for its budget" : "would be evicted";
    deps.say(`pod ${formatKey(keyOf(pod))} ${text} (${mode})`);
  }
}

function refusalText(node: string, refused: readonly Group[]): string {
  const parts = refused.map(
    ({ because, pods: of }) => `${because}: ${of.map((pod) => formatKey(keyOf(pod))).join(", ")}`,
  );
  return `node ${node} is not drained: ${parts.join("; ")}`;
}

function namesOf(of: readonly Pod[]): string {
  return listed(of.map((pod) => formatKey(keyOf(pod))));
}
