import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  findCondition,
  leases,
  nodeLeaseNamespace,
  type Node,
  parseTimestamp,
  type Pod,
  type ReplicaSet,
  replicaSets,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { parse } from "yaml";
import { CommandError, type CommandContext } from "../base/command.ts";
import { waitFor } from "../base/wait-for-cluster.ts";
import { type ClusterView, demoNamespace, isReadyNode, podsOn, servingPods } from "./cluster-view.ts";
import type { Sightings } from "./phases.ts";
import type { Machines, Stage } from "./stage.ts";

export interface Story {
  readonly context: CommandContext;
  readonly stage: Stage;
  readonly client: Client;
  readonly view: ClusterView;
  /** Filled in during the story. */
  readonly seen: Sightings;
  /** Time that each step may take in addition to its timers. */
  readonly patienceMs: number;
}

/** Deploys the web servers and waits until all are Ready. */
export async function deploy(story: Story): Promise<number> {
  const file = join(story.context.config.repository, "demo/web.yaml");
  const manifest = parse(await readFile(file, "utf8")) as ReplicaSet;
  const replicas = manifest.spec?.replicas ?? 1;
  await story.client.create(replicaSets, manifest, { namespace: demoNamespace, fieldManager: "kintsugi-demo" });
  await story.view.until(`${replicas} pods Ready`, story.patienceMs, () => servingPods(story.view).length === replicas);
  return replicas;
}

/**
 * Kills one container's process and waits until the kubelet has restarted the container. Returns
 * the pod's name.
 */
export async function crashContainer(
  story: Story,
  killContainer: NonNullable<Machines["killContainer"]>,
): Promise<string> {
  const { context, view, seen } = story;
  const pod = servingPods(view).sort(byName)[0];
  const status = pod?.status?.containerStatuses?.[0];
  const containerId = status?.containerID?.replace(/^containerd:\/\//, "");
  if (!pod?.spec?.nodeName || !status || containerId === undefined)
    throw new CommandError("no running container was found to kill");
  const before = status.restartCount;
  const stop = view.onPod((change) => {
    const now = change.object.status?.containerStatuses?.[0];
    if (change.type !== "modified" || change.object.metadata.uid !== pod.metadata.uid || !now) return;
    const ended = now.containerID !== status.containerID || now.state?.running === undefined;
    if (ended) seen.crashDetected ??= context.clock.nowMs();
    if (now.restartCount > before && now.state?.running) seen.containerRestarted ??= context.clock.nowMs();
  });
  try {
    seen.containerKilled = context.clock.nowMs();
    await killContainer(pod.spec.nodeName, containerId);
    await view.until("the killed container runs again", story.patienceMs, () => seen.containerRestarted !== undefined);
    return pod.metadata.name ?? "";
  } finally {
    stop();
  }
}

/** The node with most of the pods. */
export function busiestNode(story: Story): string {
  const ranked = story.stage.nodes
    .map((name) => ({ name, pods: podsOn(story.view, name).length }))
    .sort((a, b) => b.pods - a.pods);
  return ranked[0]?.name ?? "node-1";
}

/**
 * Kills a node and waits until as many pods as before serve on other nodes. Returns the lost pods.
 */
export async function killNode(story: Story, name: string, replicas: number): Promise<readonly Pod[]> {
  const { context, stage, view, seen } = story;
  const lost = podsOn(view, name);
  const known = new Set(view.pods().map((pod) => pod.metadata.uid));
  const nowMs = () => context.clock.nowMs();
  const stops = [
    view.onNode(({ object }) => noteNode(seen, object, { name, nowMs: nowMs() })),
    view.onPod(({ object, type }) => {
      if (seen.nodeKilled === undefined) return;
      if (known.has(object.metadata.uid)) {
        if (object.spec?.nodeName === name && object.metadata.deletionTimestamp !== undefined)
          seen.firstMarked ??= nowMs();
        return;
      }
      if (type === "added") seen.replacementCreated ??= nowMs();
      if (object.spec?.nodeName) seen.replacementScheduled ??= nowMs();
      if (object.status?.phase === "Running") seen.replacementRunning ??= nowMs();
    }),
  ];
  try {
    seen.nodeKilled = nowMs();
    await stage.machines.kill(name);
    const lease = await story.client.get(leases, { namespace: nodeLeaseNamespace, name });
    seen.lastHeartbeat = parseTimestamp(lease.spec?.renewTime ?? "");
    await view.until(
      `${replicas} pods Ready on other nodes`,
      story.patienceMs,
      () => servingPods(view).filter((pod) => pod.spec?.nodeName !== name).length === replicas,
    );
    seen.allReady = nowMs();
    return lost;
  } finally {
    for (const stop of stops) stop();
  }
}

function noteNode(seen: Sightings, node: Node, context: { name: string; nowMs: number }): void {
  if (node.metadata.name !== context.name || seen.nodeKilled === undefined || seen.nodeReturned !== undefined) return;
  if (findCondition(node.status?.conditions, "Ready")?.status === "Unknown") seen.notReady ??= context.nowMs;
  const tainted = node.spec?.taints?.some(
    (taint) => taint.key === "node.kubernetes.io/unreachable" && taint.effect === "NoExecute",
  );
  if (tainted) seen.tainted ??= context.nowMs;
}

/**
 * Switches the node on and waits until it is Ready and the lost pods' containers are removed from
 * it.
 */
export async function returnNode(story: Story, name: string, lost: readonly Pod[]): Promise<void> {
  const { context, stage, view, seen } = story;
  seen.nodeReturned = context.clock.nowMs();
  await stage.machines.return(name);
  const ready = view
    .until(`${name} Ready`, story.patienceMs, () => isReadyNode(view, name))
    .then(() => (seen.returnedReady = context.clock.nowMs()));
  const uids = lost.map((pod) => pod.metadata.uid ?? "");
  const late = () => `containers of lost pods are still on ${name} after ${story.patienceMs / 1000} s`;
  const removed = waitFor(context, { waitMs: story.patienceMs, late }, async () => {
    const objects = view.pods().some((pod) => uids.includes(pod.metadata.uid ?? ""));
    if (objects) return undefined;
    const left = (await stage.machines.containersOfPods?.(name, uids).catch(() => ["?"])) ?? [];
    return left.length === 0 ? true : undefined;
  }).then(() => (seen.leftoversGone = context.clock.nowMs()));
  await Promise.all([ready, removed]);
}

function byName(a: Pod, b: Pod): number {
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
