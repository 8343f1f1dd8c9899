import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  daemonSets,
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
import {
  type Caption,
  ClusterStory,
  type ObjectChange,
  ownerKinds,
  perfettoTrace,
  playerPage,
  previewTags,
  recoveriesOf,
  rememberOwner,
  replacementsOf,
  type PerfettoFile,
  type WorkloadRef,
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

/**
 * Writes a history as a page that plays it.
 * @throws CommandError when the player is not built.
 */
export async function playerPageOf(
  { steps, owners, nowMs }: ShownHistory,
  { clusterName, profile, playerDirectory }: AboutCluster & { playerDirectory: string },
): Promise<string> {
  const [script, style] = await Promise.all(
    ["player.js", "player.css"].map((name) => readPlayer(playerDirectory, name)),
  );
  const ordered = steps.toSorted((a, b) => committedMsOf(a) - committedMsOf(b));
  const fromMs = ordered[0]?.timeMs ?? nowMs;
  const changes = owners.map(({ kind, object }): ObjectChange => ({ atMs: fromMs, kind, is: "put", object }));
  const recording = {
    title: `${clusterName}, recorded`,
    description: "The timeline of the cluster as its API server keeps it.",
    clusterName,
    profile,
    fromMs,
    toMs: Math.max(nowMs, ordered.at(-1)?.timeMs ?? nowMs),
    steps: ordered,
    changes,
    hasObjects: false,
    captions: captionsOf(ordered, { workloads: workloadsOf(owners), profile }),
  };
  const files = { script: script ?? "", style: style ?? "" };
  return playerPage(
    recording,
    { files, preview: previewTags(recording) },
    { sha256: (text) => createHash("sha256").update(text).digest("base64") },
  );
}

/**
 * A node reports the start of a container to the second, which may precede the creation of its pod.
 * As the first step of a pod it would create two bars, the first of them for a lost pod.
 */
function committedMsOf({ timeMs, committedMs }: TimelineEntry): number {
  return committedMs ?? timeMs;
}

async function readPlayer(directory: string, name: string): Promise<string> {
  try {
    return await readFile(join(directory, name), "utf8");
  } catch (cause) {
    throw new CommandError(`the player is not built: run \`npm run bundle\` first (${(cause as Error).message})`);
  }
}

function workloadsOf(owners: readonly OwnerObject[]): Map<string, WorkloadRef> {
  const known = new Map<string, WorkloadRef>();
  for (const { kind, object } of owners) rememberOwner(known, ownerKinds[kind], object.metadata);
  return known;
}

/** The turning points of a history: the parts of its recoveries. */
function captionsOf(
  steps: readonly TimelineEntry[],
  { workloads, profile }: { workloads: ReadonlyMap<string, WorkloadRef>; profile: ProfileName },
): Caption[] {
  const story = new ClusterStory();
  for (const step of steps) story.apply(step);
  const replacements = replacementsOf([...story.bars()], workloads);
  return recoveriesOf(story.lanes, replacements, profiles[profile])
    .flatMap(({ node, steps: parts }) =>
      parts.map(({ what, atMs }) => ({ atMs, text: what.startsWith(node) ? `${what}.` : `${node}: ${what}.` })),
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}
