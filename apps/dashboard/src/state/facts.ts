import { profiles } from "@kintsugi/api";
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import {
  type Bar,
  downtimeOf,
  type FaultBar,
  isHistoryOf,
  type PodHistory,
  podKey,
  recoveriesOf,
  type Replacement,
  replacementsIn,
  shortagesOf,
  wantedPods,
  wasSilent,
  withTimers,
  workloadKey,
  type WorkloadRef,
} from "@kintsugi/story";
import type { PodsOverTime } from "../drawing/frame.ts";
import type { RunTime } from "../drawing/scale.ts";
import type { ShownPart } from "../model/filter.ts";
import type { LookedAt } from "../model/first-look.ts";
import type { RunningTimer } from "../model/running-timers.ts";
import { timersOfSteps } from "../model/step-timers.ts";
import type { Cluster } from "./cluster.ts";
import { Crowd, lookedAt, podsOverTime, silencesByNode } from "./look.ts";
import type { Pieces } from "./work-pieces.ts";
import { historyOf } from "./pod-history.ts";
import type { WorkloadRow } from "./workload-row.ts";

/** The parts of a recording that views request. */
export interface Recorded {
  /** The objects are part of the facts, so that timers and explanations follow from the objects. */
  readonly hasObjects: boolean;
  readonly run: RunTime;
  /** The pods as they really ran, and the faults, if a simulation recorded them. */
  readonly pods?: readonly PodHistory[];
  readonly faults?: readonly FaultBar[];
  /** Shows a time of the recording. */
  readonly seek: (atMs: number) => void;
}

/** The values that the filters offer. */
export interface FilterChoices {
  readonly workloads: readonly WorkloadRef[];
  readonly namespaces: readonly string[];
  readonly nodes: readonly string[];
  /** Changes when any of the values changes. */
  readonly key: string;
}

type RunningTimersOf = (world: ReturnType<Cluster["world"]>) => RunningTimer[];

/** The picture shows at most the last hour. */
const picturedMs = 60 * 60_000;

/** Number of bars that are assigned to their workloads before other work gets its turn. */
const barsAtOnce = 500;

interface FactsDeps {
  readonly cluster: Cluster;
  readonly filter: ReadonlySignal<ShownPart>;
  readonly recorded: Recorded | undefined;
}

/** Everything that is derived from the cluster for the views; `workOut` updates it. */
export function createFacts({ cluster, filter, recorded }: FactsDeps) {
  const runningTimers = signal<readonly RunningTimer[]>([]);
  const replacements = signal<readonly Replacement[]>([]);
  const rows = signal<readonly WorkloadRow[]>([]);
  const choices = signal<FilterChoices>({ workloads: [], namespaces: [], nodes: [], key: "" });
  const pods = signal<PodsOverTime>({ samples: [], faults: [] });
  const look = signal<LookedAt | undefined>(undefined);
  const recoveries = computed(() => recoveriesOf(cluster.story.lanes, replacements.value, cluster.timers));

  const workOut = async (runningTimersOf: RunningTimersOf | undefined, pieces: Pieces) => {
    // Otherwise the page would report that everything is well when only a part of the cluster has
    // been read.
    if (recorded === undefined && !cluster.isRead) return;
    runningTimers.value =
      recorded?.hasObjects === false
        ? timersOfSteps(cluster.story, { timers: cluster.timers, nowMs: cluster.nowMs() })
        : (runningTimersOf?.(cluster.world()) ?? []);
    await pieces.next();
    const crowd = new Crowd();
    const byWorkload = await groupByWorkload(cluster, crowd, pieces);
    const found: Replacement[] = [];
    for (const { bars } of byWorkload.values()) {
      found.push(...replacementsIn(bars));
      await pieces.next();
    }
    replacements.value = found;
    rows.value = (await rowsOf(cluster, byWorkload, pieces)).map((row) => asItWas(row, recorded, cluster.nowMs()));
    await pieces.next();
    const silences = await silencesByNode(cluster, pieces);
    look.value = lookedAt(cluster, {
      rows: rows.value,
      runningTimers: runningTimers.value,
      recoveries: recoveries.value,
      silences,
      crowd,
    });
    await pieces.next();
    const shownRows = rows.value.filter(({ workload }) => isShownWorkload(filter.value, workload));
    const fromMs = recorded?.run.fromMs ?? cluster.nowMs() - picturedMs;
    pods.value =
      recorded?.pods === undefined
        ? await podsOverTime(silences, { groups: shownRows.map((row) => withBars(row, byWorkload)), fromMs }, pieces)
        : historyOf({ pods: recorded.pods, faults: recorded.faults ?? [], toMs: recorded.run.toMs }, shownRows);
    await pieces.next();
    const now = choicesOf(cluster, rows.value, recorded !== undefined);
    // The list has thousands of choices, so it is rebuilt only when a choice differs.
    if (now.key !== choices.value.key) choices.value = now;
  };
  return { runningTimers, replacements, recoveries, rows, choices, pods, look, workOut };
}

function isShownWorkload({ namespace, workload }: ShownPart, ref: WorkloadRef): boolean {
  return (namespace === "" || ref.namespace === namespace) && (workload === "" || workload === workloadKey(ref));
}

function withBars({ workload, wanted }: WorkloadRow, groups: ReadonlyMap<string, Group>) {
  return { bars: groups.get(workloadKey(workload))?.bars ?? [], wanted };
}

interface Group {
  readonly workload: WorkloadRef;
  readonly bars: Bar[];
}

/** Groups the bars, and adds them to the crowd. */
async function groupByWorkload(cluster: Cluster, crowd: Crowd, pieces: Pieces): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>();
  let seen = 0;
  for (const bar of cluster.story.bars()) {
    if (++seen % barsAtOnce === 0) await pieces.next();
    if (bar.node === "") continue;
    crowd.add(bar);
    const workload = cluster.workloadOfBar(bar);
    const key = workloadKey(workload);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { workload, bars: [bar] });
    else group.bars.push(bar);
  }
  return groups;
}

async function rowsOf(cluster: Cluster, groups: ReadonlyMap<string, Group>, pieces: Pieces): Promise<WorkloadRow[]> {
  const nowMs = cluster.nowMs();
  const laneOf = new Map(cluster.story.lanes.map((lane) => [lane.node, lane]));
  const silent = (node: string, atMs: number) => {
    const lane = laneOf.get(node);
    return lane !== undefined && wasSilent(lane, atMs);
  };
  const timers = { own: cluster.timers, other: profiles.kubernetes, nowMs };
  const found: WorkloadRow[] = [];
  for (const { workload, bars } of groups.values()) {
    if (workload.kind === "Pod" || workload.kind === "Job") continue;
    const wanted = wantedOf(cluster, workload) ?? bars.filter(({ toMs }) => toMs === undefined).length;
    const downtime = downtimeOf(bars, { wanted, nowMs, wasSilent: silent });
    found.push({
      workload,
      wanted,
      downtime: { ...downtime, degradedUnderKubernetesMs: withTimers(downtime.shortages, timers) },
    });
    await pieces.next();
  }
  return found.toSorted(
    (a, b) =>
      b.downtime.downMs - a.downtime.downMs ||
      b.downtime.degradedMs - a.downtime.degradedMs ||
      (podKey(a.workload) < podKey(b.workload) ? -1 : 1),
  );
}

/**
 * A simulation records which pods really ran, so its recording has the same downtime and degraded
 * time as its report. The part with other timers is computed from the API's view.
 */
function asItWas(row: WorkloadRow, recorded: Recorded | undefined, nowMs: number): WorkloadRow {
  const { workload, downtime } = row;
  const history = recorded?.pods?.find((each) => isHistoryOf(each, workload));
  if (history === undefined) return row;
  const own = shortagesOf(history.samples, nowMs);
  const longerMs = downtime.degradedUnderKubernetesMs - downtime.degradedMs;
  const available = history.samples.findLast(({ atMs }) => atMs <= nowMs)?.available;
  return { ...row, available, downtime: { ...downtime, ...own, degradedUnderKubernetesMs: own.degradedMs + longerMs } };
}

/** The choices of the filters, which change seldom. */
function choicesOf(cluster: Cluster, rows: readonly WorkloadRow[], isRecording: boolean): FilterChoices {
  const ofPods = isRecording
    ? [...cluster.story.bars()].map(({ namespace }) => namespace)
    : cluster.list("pods").map(({ metadata }) => metadata.namespace ?? "");
  const workloads = rows.map(({ workload }) => workload).toSorted((a, b) => (podKey(a) < podKey(b) ? -1 : 1));
  const namespaces = [...new Set(ofPods)].toSorted();
  const nodes = cluster.story.lanes.map(({ node }) => node).filter((node) => node !== "");
  const key = [workloads.map(workloadKey), namespaces, nodes].map((names) => names.join(" ")).join("|");
  return { workloads, namespaces, nodes: nodes.toSorted(), key };
}

function wantedOf(cluster: Cluster, workload: WorkloadRef): number | undefined {
  const kinds = { Deployment: "deployments", StatefulSet: "statefulsets", ReplicaSet: "replicasets" } as const;
  const kind = (kinds as Readonly<Record<string, (typeof kinds)[keyof typeof kinds]>>)[workload.kind];
  if (workload.kind === "DaemonSet") return cluster.find("daemonsets", workload)?.status?.desiredNumberScheduled;
  const object = kind && cluster.find(kind, workload);
  return object && wantedPods(object);
}
