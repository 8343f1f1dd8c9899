import { instantOf, nodeLeaseNamespace } from "@kintsugi/api";
import {
  type Bar,
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
export async function silencesByNode(
  cluster: Cluster,
  pieces: Pieces,
): Promise<ReadonlyMap<string, readonly Silence[]>> {
  const graceMs = cluster.timers.nodeMonitorGracePeriodMs;
  const found = new Map<string, readonly Silence[]>();
  for (const lane of cluster.story.lanes) {
    if (lane.node === "") continue;
    found.set(lane.node, silencesOf(lane, { graceMs, lateSinceMs: lateSinceOf(cluster, lane.node) }));
    await pieces.next();
  }
  return found;
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
    crowd,
  }: {
    rows: readonly WorkloadRow[];
    runningTimers: readonly RunningTimer[];
    recoveries: readonly Recovery[];
    silences: ReadonlyMap<string, readonly Silence[]>;
    crowd: Crowd;
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
      pods: crowd.podsOn(lane.node),
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
    startMs: crowd.usualStartMs(),
    mended: lastMended(recoveries),
  };
}

/** Counts bars one by one, because a large cluster's bars are counted in pieces. */
export class Crowd {
  readonly #podsOn = new Map<string, number>();
  #newest: { readonly number: number; readonly tookMs: number }[] = [];
  /** Bars that began before this bar are not among the newest. */
  #oldestNumber = 0;

  add({ number, node, fromMs, toMs, spans }: Bar): void {
    if (toMs === undefined && stateOf({ spans }) !== "terminating") this.#podsOn.set(node, this.podsOn(node) + 1);
    if (number < this.#oldestNumber) return;
    const readyMs = spans.find(({ state }) => state === "ready")?.fromMs;
    if (readyMs === undefined) return;
    this.#newest.push({ number, tookMs: readyMs - fromMs });
    // Thousands of pods are not sorted to find the newest.
    if (this.#newest.length > startsMax * 10) this.#keepNewest();
  }

  /** The number of a node's pods that are not terminating. */
  podsOn(node: string): number {
    return this.#podsOn.get(node) ?? 0;
  }

  /** The median time from the creation of the newest pods until they were Ready. */
  usualStartMs(): number | undefined {
    this.#keepNewest();
    const tookMs = this.#newest.map((each) => each.tookMs).toSorted((a, b) => a - b);
    return tookMs[Math.floor(tookMs.length / 2)];
  }

  #keepNewest(): void {
    this.#newest = this.#newest.toSorted((a, b) => b.number - a.number).slice(0, startsMax);
    if (this.#newest.length === startsMax) this.#oldestNumber = this.#newest.at(-1)?.number ?? 0;
  }
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
