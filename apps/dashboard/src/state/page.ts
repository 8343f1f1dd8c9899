import { computed, effect, signal } from "@preact/signals";
import type { Clock } from "@kintsugi/clock";
import type { Api } from "../data/api.ts";
import type { LabAccess } from "../data/lab.ts";
import type { TerminalAccess } from "../data/terminals.ts";
import {
  type Bar,
  downtimeOf,
  podKey,
  recoveriesOf,
  type Replacement,
  replacementsIn,
  wantedPods,
  wasSilent,
  withTimers,
  type WorkloadDowntime,
  workloadKey,
  type WorkloadRef,
} from "@kintsugi/story";
import type { Shown } from "../model/commands.ts";
import { type ShownPart, showAll, shows } from "../model/filter.ts";
import type { Ghost } from "../model/ghosts.ts";
import { ghostsOfSteps } from "../model/step-ghosts.ts";
import { profiles } from "@kintsugi/api";
import type { Screen } from "../terminal/command-session.ts";
import type { Cluster } from "./cluster.ts";
import { createLabLink } from "./lab-link.ts";

export interface PageDeps {
  readonly cluster: Cluster;
  readonly api: Api;
  readonly clock: Clock;
  /** The lab behind the page, if `kintsugi dashboard` serves one. */
  readonly lab?: LabAccess;
  /** Terminals, with the program of their screen, which is loaded when the first one is opened. */
  readonly terminals?: Terminals;
  /** The page shows a recording instead of a cluster that lives. */
  readonly recorded?: Recorded;
}

interface Terminals extends TerminalAccess {
  loadScreen(): Promise<{ openScreen(parent: HTMLElement, events: { onLeave: () => void }): Screen }>;
}

/** The parts of a recording that views ask for. */
interface Recorded {
  /** The objects are part of it, so that timers and explanations follow from them. */
  readonly hasObjects: boolean;
}

/** A row of the table of workloads. */
export interface WorkloadRow {
  readonly workload: WorkloadRef;
  readonly wanted: number;
  readonly downtime: WorkloadDowntime;
}

/** Texts with countdowns change this often; the picture moves with every frame. */
const tickMs = 250;
/** Ghosts and tables are worked out this often. */
const workOutMs = 500;
/** Large clusters take longer to work out: the page's thread spends at most this share on it. */
const workOutShareMax = 0.1;

/** The state of the page: what the user chose, and what follows from the cluster for it. */
export type DashboardPage = ReturnType<typeof createPage>;

export function createPage({ cluster, api, clock, lab: access, terminals, recorded }: PageDeps) {
  const nowMs = signal(cluster.nowMs());
  const filter = signal<ShownPart>(showAll);
  const selected = signal<Shown | undefined>(undefined);
  const spanMs = signal(2 * 60_000);
  const ghosts = signal<readonly Ghost[]>([]);
  const replacements = signal<readonly Replacement[]>([]);
  const rows = signal<readonly WorkloadRow[]>([]);
  const shownBar = (bar: Bar) => shows(filter.value, bar, (each) => cluster.workloadOfBar(each));
  const hasTerminals = signal(false);
  const recoveries = computed(() => recoveriesOf(cluster.story.lanes, replacements.value, cluster.timers));

  const workOut = (ghostsOf: ((world: ReturnType<Cluster["world"]>) => Ghost[]) | undefined) => {
    ghosts.value =
      recorded?.hasObjects === false
        ? ghostsOfSteps(cluster.story, { timers: cluster.timers, nowMs: cluster.nowMs() })
        : (ghostsOf?.(cluster.world()) ?? []);
    const byWorkload = groupByWorkload(cluster);
    replacements.value = [...byWorkload.values()].flatMap(({ bars }) => replacementsIn(bars));
    rows.value = rowsOf(cluster, byWorkload);
  };

  /** Runs until the signal aborts; explanations are loaded behind the first paint. */
  const run = async (stop: AbortSignal): Promise<void> => {
    const { ghostsOf } = await import("../model/ghosts.ts");
    let workedMs = -Infinity;
    let pauseMinMs = 0;
    while (!stop.aborted) {
      nowMs.value = cluster.nowMs();
      const begunMs = clock.monotonicMs();
      if (begunMs - workedMs >= pauseMinMs) {
        workOut(ghostsOf);
        workedMs = clock.monotonicMs();
        pauseMinMs = Math.max(workOutMs, (workedMs - begunMs) / workOutShareMax);
      }
      await clock.sleep(tickMs, stop).catch(() => {});
    }
  };
  return {
    cluster,
    api,
    clock,
    nowMs,
    filter,
    selected,
    spanMs,
    ghosts,
    replacements,
    recoveries,
    rows,
    shownBar,
    recorded,
    terminals,
    hasTerminals,
    /** Finds out whether the page's server carries terminals. */
    async findTerminals(): Promise<void> {
      hasTerminals.value = (await terminals?.isOffered()) ?? false;
    },
    ...createLabLink(access, clock),
    run,
  };
}

/** Keeps the page's address in step with the selection, so that it can be shared. */
export function followSelection(page: DashboardPage, write: (hash: string) => void): () => void {
  return effect(() => {
    const { value } = page.selected;
    write(value === undefined ? "" : `#${[value.kind, value.namespace, value.name].map(encodeURIComponent).join("/")}`);
  });
}

/** Reads what `followSelection` wrote; undefined for anything else. */
export function readAddress(hash: string): Shown | undefined {
  const parts = hash.replace(/^#/, "").split("/");
  if (parts.length !== 3) return undefined;
  try {
    const [kind = "", namespace = "", name = ""] = parts.map(decodeURIComponent);
    return kind === "" || name === "" ? undefined : { kind, namespace, name };
  } catch {
    return undefined;
  }
}

interface Group {
  readonly workload: WorkloadRef;
  readonly bars: Bar[];
}

function groupByWorkload(cluster: Cluster): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const bar of cluster.story.bars()) {
    if (bar.node === "") continue;
    const workload = cluster.workloadOfBar(bar);
    const key = workloadKey(workload);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { workload, bars: [bar] });
    else group.bars.push(bar);
  }
  return groups;
}

function rowsOf(cluster: Cluster, groups: ReadonlyMap<string, Group>): WorkloadRow[] {
  const nowMs = cluster.nowMs();
  const laneOf = new Map(cluster.story.lanes.map((lane) => [lane.node, lane]));
  const silent = (node: string, atMs: number) => {
    const lane = laneOf.get(node);
    return lane !== undefined && wasSilent(lane, atMs);
  };
  return [...groups.values()]
    .filter(({ workload }) => workload.kind !== "Pod" && workload.kind !== "Job")
    .map(({ workload, bars }) => {
      const wanted = wantedOf(cluster, workload) ?? bars.filter(({ toMs }) => toMs === undefined).length;
      const downtime = downtimeOf(bars, { wanted, nowMs, wasSilent: silent });
      const timers = { own: cluster.timers, other: profiles.kubernetes, nowMs };
      return { workload, wanted, downtime: { ...downtime, underKubernetesMs: withTimers(downtime.outages, timers) } };
    })
    .toSorted((a, b) => b.downtime.totalMs - a.downtime.totalMs || (podKey(a.workload) < podKey(b.workload) ? -1 : 1));
}

function wantedOf(cluster: Cluster, workload: WorkloadRef): number | undefined {
  const kinds = { Deployment: "deployments", StatefulSet: "statefulsets", ReplicaSet: "replicasets" } as const;
  const kind = (kinds as Readonly<Record<string, (typeof kinds)[keyof typeof kinds]>>)[workload.kind];
  if (workload.kind === "DaemonSet") return cluster.find("daemonsets", workload)?.status?.desiredNumberScheduled;
  const object = kind && cluster.find(kind, workload);
  return object && wantedPods(object);
}
