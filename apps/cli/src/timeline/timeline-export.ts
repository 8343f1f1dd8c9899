import {
  type DaemonSet,
  daemonSets,
  type Deployment,
  deployments,
  type EventEntry,
  jobs,
  type ProfileName,
  profiles,
  replicaSets,
  replicationControllers,
  statefulSets,
  type TimelineEntry,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { pageHost } from "@kintsugi/daemon";
import {
  type Caption,
  ClusterStory,
  type ObjectChange,
  ownerKinds,
  type PerfettoFile,
  perfettoTrace,
  podHistoriesOf,
  type PublishedPage,
  readPlayer,
  recoveriesOf,
  rememberOwner,
  replacementsOf,
  type StoryRecording,
  wantedPods,
  workloadByName,
  workloadKey,
  type WorkloadRef,
  type WrittenPage,
  writtenPage,
} from "@kintsugi/story";
import { CommandError } from "../base/command.ts";

/** The history of a cluster from its API server. */
export interface ShownHistory {
  /** Oldest first. */
  readonly steps: readonly TimelineEntry[];
  readonly events: readonly EventEntry[];
  readonly owners: readonly OwnerObject[];
  readonly nowMs: number;
}

interface OwnerObject {
  readonly kind: keyof typeof ownerKinds;
  readonly object: { readonly metadata: object };
}

export interface AboutCluster {
  readonly clusterName: string;
  readonly profile: ProfileName;
}

/**
 * Reads the objects that own pods, so that pods that no longer exist are assigned by their names.
 */
export async function readOwners(client: Client): Promise<OwnerObject[]> {
  const [a, b, c, d, e, f] = await Promise.all([
    client.list(deployments, {}),
    client.list(replicaSets, {}),
    client.list(statefulSets, {}),
    client.list(daemonSets, {}),
    client.list(jobs, {}),
    client.list(replicationControllers, {}),
  ]);
  const of = (kind: OwnerObject["kind"], items: readonly { metadata: object }[]): OwnerObject[] =>
    items.map((object) => ({ kind, object }));
  return [
    ...of("deployments", a.items),
    ...of("replicasets", b.items),
    ...of("statefulsets", c.items),
    ...of("daemonsets", d.items),
    ...of("jobs", e.items),
    ...of("replicationcontrollers", f.items),
  ];
}

/** Writes a history as a trace that opens in Perfetto. */
export function traceOf({ steps, events, owners, nowMs }: ShownHistory, { clusterName }: AboutCluster): PerfettoFile {
  return perfettoTrace({ steps, events, workloads: workloadsOf(owners), endMs: nowMs }, clusterName);
}

interface PageOptions extends AboutCluster {
  readonly playerDirectory: string;
  /** The addresses at which the page is published. */
  readonly published?: PublishedPage | undefined;
}

/**
 * Writes a history as a page that plays it, with the picture of its preview.
 * @throws CommandError when the player is not built.
 */
export function playerPageOf(
  history: ShownHistory,
  { playerDirectory, published, ...about }: PageOptions,
): WrittenPage {
  const host = pageHost(playerDirectory);
  const files = readPlayer(host);
  if (typeof files === "string") throw new CommandError(files);
  return writtenPage(recordingOf(history, about), { files, published }, host);
}

function recordingOf({ steps, owners, nowMs }: ShownHistory, { clusterName, profile }: AboutCluster): StoryRecording {
  const ordered = steps.toSorted((a, b) => committedMsOf(a) - committedMsOf(b));
  const fromMs = ordered[0]?.timeMs ?? nowMs;
  const story = new ClusterStory();
  for (const step of ordered) story.apply(step);
  const workloads = workloadsOf(owners);
  const wanted = wantedByWorkload(owners);
  return {
    title: `${clusterName}, recorded`,
    description: "The timeline of the cluster as its API server keeps it.",
    clusterName,
    profile,
    fromMs,
    toMs: Math.max(nowMs, ordered.at(-1)?.timeMs ?? nowMs),
    steps: ordered,
    changes: owners.map(({ kind, object }): ObjectChange => ({ atMs: fromMs, kind, is: "put", object })),
    hasObjects: false,
    captions: captionsOf(story, { workloads, profile }),
    ...podHistoriesOf(story, {
      workloadOf: (bar) => workloadByName(bar, workloads),
      wantedOf: (workload) => wanted.get(workloadKey(workload)),
      graceMs: profiles[profile].nodeMonitorGracePeriodMs,
    }),
  };
}

/** The number of pods that each Deployment, set and DaemonSet should have. */
function wantedByWorkload(owners: readonly OwnerObject[]): Map<string, number> {
  const wanted = new Map<string, number>();
  for (const { kind, object } of owners) {
    const { metadata, spec, status } = object as Partial<Deployment & DaemonSet>;
    const { namespace = "", name = "" } = metadata ?? {};
    const key = workloadKey({ kind: ownerKinds[kind], namespace, name });
    if (kind === "daemonsets") wanted.set(key, status?.desiredNumberScheduled ?? 0);
    else if (kind !== "jobs") wanted.set(key, wantedPods({ spec }));
  }
  return wanted;
}

/**
 * A node reports the start of a container to the second, which may precede the creation of its pod.
 * As the first step of a pod it would create two bars, the first of them for a lost pod.
 */
function committedMsOf({ timeMs, committedMs }: TimelineEntry): number {
  return committedMs ?? timeMs;
}

function workloadsOf(owners: readonly OwnerObject[]): Map<string, WorkloadRef> {
  const known = new Map<string, WorkloadRef>();
  for (const { kind, object } of owners) rememberOwner(known, ownerKinds[kind], object.metadata);
  return known;
}

/** The turning points of a history: the parts of its recoveries. */
function captionsOf(
  story: ClusterStory,
  { workloads, profile }: { workloads: ReadonlyMap<string, WorkloadRef>; profile: ProfileName },
): Caption[] {
  const replacements = replacementsOf([...story.bars()], workloads);
  return recoveriesOf(story.lanes, replacements, profiles[profile])
    .flatMap(({ node, steps: parts }) =>
      parts.map(({ what, atMs }) => ({ atMs, text: what.startsWith(node) ? `${what}.` : `${node}: ${what}.` })),
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}
