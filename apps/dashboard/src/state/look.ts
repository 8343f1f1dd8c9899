import { instantOf, nodeLeaseNamespace } from "@kintsugi/api";
import {
  type Bar,
  type Lane,
  type Recovery,
  samplesOf,
  silenceBar,
  type Silence,
  silencesOf,
  stateOf,
  turnsOf,
} from "@kintsugi/story";
import type { PodsOverTime } from "../drawing/frame.ts";
import type { LookedAt } from "../model/first-look.ts";
import type { RunningTimer } from "../model/running-timers.ts";
import type { Cluster } from "./cluster.ts";
import type { WorkloadRow } from "./workload-row.ts";
import type { Pieces } from "./work-pieces.ts";

/** Number of missed renewals of its Lease at which a kubelet is late. */
const lateRenewals = 2;
/** Time for which a pod waits for a node in normal scheduling. */
const waitShownMs = 1_000;
/** Number of newest pods from which the usual start time is computed. */
const startsMax = 40;

/** Returns the last report of a node that is late now; undefined for other nodes. */
function lateSinceOf(cluster: Cluster, node: string): number | undefined {
  const lease = cluster.find("leases", { namespace: nodeLeaseNamespace, name: node });
  const renewedMs = instantOf(lease?.spec?.renewTime);
  const lateMs = cluster.timers.nodeLeaseRenewIntervalMs * lateRenewals;
  return renewedMs !== undefined && cluster.nowMs() - renewedMs > lateMs ? renewedMs : undefined;
}

/** The times in which each node did not report. */
export function silencesByNode(cluster: Cluster): ReadonlyMap<string, readonly Silence[]> {
  const graceMs = cluster.timers.nodeMonitorGracePeriodMs;
  return new Map(
    cluster.story.lanes
      .filter(({ node }) => node !== "")
      .map((lane) => [lane.node, silencesOf(lane, { graceMs, lateSinceMs: lateSinceOf(cluster, lane.node) })]),
  );
}

/** Counts the pods of the shown workloads over time, and lists the silences of nodes as faults. */
export async function podsOverTime(
  silences: ReadonlyMap<string, readonly Silence[]>,
  { groups, fromMs }: { groups: readonly ShownGroup[]; fromMs: number },
  pieces: Pieces,
): Promise<PodsOverTime> {
  const turns: Parameters<typeof samplesOf>[0] = [];
  for (const { bars, wanted } of groups) {
    const own = turnsOf(bars, { wanted, silences: (node) => silences.get(node) ?? [] });
    for (const turn of shownTurns(own, fromMs)) turns.push(turn);
    await pieces.next();
  }
  const faults = [...silences].flatMap(([node, own]) => own.map((silence) => silenceBar(node, silence)));
  return { samples: samplesOf(turns), faults };
}

/** The pods of a shown workload. */
interface ShownGroup {
  readonly bars: readonly Bar[];
  readonly wanted: number;
}

type Turns = ReturnType<typeof turnsOf>;

/**
 * Changes outside of the picture are counted as one change, because a large cluster has a change
 * for each pod.
 */
function shownTurns(turns: Turns, fromMs: number): Turns {
  const first = turns.findIndex(({ atMs }) => atMs >= fromMs);
  const old = first < 0 ? turns : turns.slice(0, first);
  if (old.length < 2) return turns;
  const sum = { atMs: fromMs, ready: 0, available: 0, wanted: 0 };
  for (const { ready, available, wanted } of old) {
    sum.ready += ready;
    sum.available += available;
    sum.wanted += wanted;
  }
  return [sum, ...(first < 0 ? [] : turns.slice(first))];
}

/** Collects the facts of the first look. */
export function lookedAt(
  cluster: Cluster,
  {
    rows,
    runningTimers,
    recoveries,
    silences,
  }: {
    rows: readonly WorkloadRow[];
    runningTimers: readonly RunningTimer[];
    recoveries: readonly Recovery[];
    silences: ReadonlyMap<string, readonly Silence[]>;
  },
): LookedAt {
  const { story } = cluster;
  const nowMs = cluster.nowMs();
  const lanes = story.lanes.filter(({ node }) => node !== "");
  const pending = (story.lanes.find(({ node }) => node === "")?.bars ?? []).filter(
    ({ toMs, fromMs }) => toMs === undefined && nowMs - fromMs >= waitShownMs,
  );
  const [first] = pending;
  return {
    nodes: lanes.map((lane) => ({
      name: lane.node,
      state: lane.spans.at(-1)?.state ?? "ready",
      silentSinceMs: silences.get(lane.node)?.find(({ toMs }) => toMs === Infinity)?.fromMs,
      pods: countThere(lane),
    })),
    workloads: rows.map(({ workload, wanted, downtime, available }) => ({
      name: workload.name,
      available,
      ready: downtime.ready,
      wanted,
      isShort: downtime.shortages.length > 0 && downtime.shortages.at(-1)?.toMs === undefined,
    })),
    runningTimers,
    graceMs: cluster.timers.nodeMonitorGracePeriodMs,
    nodeOf: (pod) => story.find(pod)?.node,
    pendingPods: pending.length,
    pendingPod: first && { kind: "Pod", namespace: first.namespace, name: first.name },
    startMs: usualStart(story.bars()),
    mended: lastMended(recoveries),
  };
}

function countThere({ bars }: Lane): number {
  return bars.filter((bar) => bar.toMs === undefined && stateOf(bar) !== "terminating").length;
}

/** The median time from the creation of the newest pods until they were Ready. */
function usualStart(bars: Iterable<Bar>): number | undefined {
  let newest: { number: number; tookMs: number }[] = [];
  const cut = () => (newest = newest.toSorted((a, b) => b.number - a.number).slice(0, startsMax));
  for (const { number, fromMs, spans } of bars) {
    const readyMs = spans.find(({ state }) => state === "ready")?.fromMs;
    if (readyMs === undefined) continue;
    newest.push({ number, tookMs: readyMs - fromMs });
    // Thousands of pods are not sorted to find the newest.
    if (newest.length > startsMax * 10) cut();
  }
  cut();
  return newest.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)[Math.floor(newest.length / 2)];
}

function lastMended(recoveries: readonly Recovery[]): LookedAt["mended"] {
  for (const { node, steps, isOver } of recoveries) {
    const ready = steps.find(({ is }) => is === "ready");
    const [first] = steps;
    if (isOver && ready !== undefined && first !== undefined)
      return { node, tookMs: ready.atMs - first.atMs, atMs: ready.atMs };
  }
  return undefined;
}
