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
import type { joinCommand, Screen } from "../terminal/command-session.ts";
import type { Cluster } from "./cluster.ts";
import { Pieces } from "./pieces.ts";
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
  loadScreen(): Promise<{
    openScreen(parent: HTMLElement, events: { onLeave: () => void }): Screen;
    readonly joinCommand: typeof joinCommand;
  }>;
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

/** Bars that are sorted into their workloads before other work gets its turn. */
const barsAtOnce = 500;

type GhostsOf = (world: ReturnType<Cluster["world"]>) => Ghost[];

/** The values that the filters offer. */
export interface FilterChoices {
  readonly workloads: readonly WorkloadRef[];
  readonly namespaces: readonly string[];
  readonly nodes: readonly string[];
  /** Differs where any of the values does. */
  readonly key: string;
}

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
  const choices = signal<FilterChoices>({ workloads: [], namespaces: [], nodes: [], key: "" });
  const shownBar = (bar: Bar) => shows(filter.value, bar, (each) => cluster.workloadOfBar(each));
  const hasTerminals = signal(false);
  const recoveries = computed(() => recoveriesOf(cluster.story.lanes, replacements.value, cluster.timers));

  const workOut = async (ghostsOf: GhostsOf | undefined, pieces: Pieces) => {
    ghosts.value =
      recorded?.hasObjects === false
        ? ghostsOfSteps(cluster.story, { timers: cluster.timers, nowMs: cluster.nowMs() })
        : (ghostsOf?.(cluster.world()) ?? []);
    await pieces.next();
    const byWorkload = await groupByWorkload(cluster, pieces);
    const found: Replacement[] = [];
    for (const { bars } of byWorkload.values()) {
      found.push(...replacementsIn(bars));
      await pieces.next();
    }
    replacements.value = found;
    rows.value = await rowsOf(cluster, byWorkload, pieces);
    await pieces.next();
    const now = choicesOf(cluster, rows.value, recorded !== undefined);
    // Thousands of choices are made anew where one of them differs, and not each time.
    if (now.key !== choices.value.key) choices.value = now;
  };

  /** Runs until the signal aborts; explanations are loaded behind the first paint. */
  const run = async (stop: AbortSignal): Promise<void> => {
    const { ghostsOf } = await import("../model/ghosts.ts");
    const working = (async () => {
      while (!stop.aborted) {
        const pieces = new Pieces(clock, stop);
        await workOut(ghostsOf, pieces);
        const pauseMs = Math.max(workOutMs, pieces.busyMs / workOutShareMax);
        await clock.sleep(pauseMs, stop).catch(() => {});
      }
    })();
    while (!stop.aborted) {
      nowMs.value = cluster.nowMs();
      await clock.sleep(tickMs, stop).catch(() => {});
    }
    await working;
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
    choices,
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

async function groupByWorkload(cluster: Cluster, pieces: Pieces): Promise<Map<string, Group>> {
  const groups = new Map<string, Group>();
  let seen = 0;
  for (const bar of cluster.story.bars()) {
    if (++seen % barsAtOnce === 0) await pieces.next();
    if (bar.node === "") continue;
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
