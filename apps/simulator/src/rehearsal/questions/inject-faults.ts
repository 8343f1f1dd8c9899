import { isApiError, nodes, type Node, zoneLabel } from "@kintsugi/api";
import { ConnectionError } from "@kintsugi/client";
import type { DrainTurn, RehearsalQuestion } from "@kintsugi/rehearsal";
import { parseValue } from "@kintsugi/simulation";
import { FaultPlan } from "../../run/fault-plan.ts";
import type { RehearsedCluster } from "../cluster/rehearsed-cluster.ts";
import type { Asked } from "./asked.ts";
import { drainRehearsedNode, setUnschedulable } from "./drain-nodes.ts";
import { faultsOfRun } from "./rehearsed-faults.ts";

/** A fault may change wires and power by itself at any time, without an event, so it is polled. */
const lookMs = 1_000;

export interface PlayDeps {
  readonly noteNodes: () => void;
  readonly deletePods: (workload: string) => Promise<void>;
}

/** Applies the faults of a scenario to the cluster at their times. */
export function injectFaults(
  { faults, runMs }: Extract<RehearsalQuestion, { kind: "scenario" }>,
  cluster: RehearsedCluster,
  { noteNodes, deletePods }: PlayDeps,
): Asked {
  const drains: DrainTurn[] = [];
  const beganMs = cluster.clock.monotonicMs();
  const scenario = { nodes: zonesOf(cluster), workloads: [], profile: "kubernetes", faults } as const;
  const find = faultsOfRun(cluster, {
    drain: (node) => drain(cluster, node, { drains, beganMs }),
    deletePods: (workload) => refusedIsNothing(deletePods(workload)),
  });
  const plan = new FaultPlan(
    { cluster, randomSource: cluster.randomSource, find, observer: { fault: noteNodes } },
    scenario,
  );
  return { done: play(plan, cluster, { runMs, noteNodes }), drains };
}

async function play(
  plan: FaultPlan,
  { clock }: RehearsedCluster,
  { runMs, noteNodes }: { runMs: number; noteNodes: () => void },
): Promise<void> {
  plan.begin();
  for (let passedMs = 0; passedMs < runMs && plan.error === undefined; passedMs += lookMs) {
    await clock.sleep(Math.min(lookMs, runMs - passedMs));
    noteNodes();
  }
  plan.end();
  // The start of a service at the end takes a moment.
  await clock.sleep(lookMs);
  noteNodes();
  if (plan.error !== undefined) throw new Error("a fault of the scenario failed", { cause: plan.error });
}

function drain(
  cluster: RehearsedCluster,
  node: string,
  { drains, beganMs }: { drains: DrainTurn[]; beganMs: number },
): () => void {
  const stop = new AbortController();
  void refusedIsNothing(
    drainRehearsedNode(cluster, node, { beganMs, signal: stop.signal }).then((turn) => void drains.push(turn)),
  );
  return () => {
    stop.abort();
    void refusedIsNothing(setUnschedulable(cluster, node, false));
  };
}

/** A user's action may be rejected, or may not be answered; the scenario continues. */
async function refusedIsNothing(deed: Promise<void>): Promise<void> {
  try {
    await deed;
  } catch (error) {
    if (!isApiError(error) && !(error instanceof ConnectionError)) throw error;
  }
}

function zonesOf({ store }: RehearsedCluster): { name: string; zone?: string }[] {
  return store.list(`core/${nodes.resource}/`).entries.map(({ value }) => {
    const { metadata } = parseValue<Node>(value);
    const zone = metadata.labels?.[zoneLabel];
    return { name: metadata.name ?? "", ...(zone === undefined ? {} : { zone }) };
  });
}
