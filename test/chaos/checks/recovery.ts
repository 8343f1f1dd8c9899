import { isDeepStrictEqual } from "node:util";
import { type ConfigMap, configMaps, isPodActive, nodes, type Pod, pods } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createCriRuntime } from "@kintsugi/cri";
import { findNode, nodePaths, readIdentity, serverAddresses } from "@kintsugi/lab";
import { isReady } from "@kintsugi/simulation";
import { fetchAs } from "../../support/fetch-as.ts";
import type { ChaosCluster } from "../cluster/chaos-cluster.ts";
import { loadObjects } from "../load/objects.ts";

/**
 * Maximum lag of an informer that follows the store; an informer with a larger lag is read again.
 */
const informerLagMaxMs = 500;

export interface Whole {
  readonly cluster: ChaosCluster;
  readonly replicas: number;
  /** Follows the load's objects over NATS. */
  readonly informer: Informer<ConfigMap>;
  /** Each of the load's clients must have been answered since this time. */
  readonly answeredSinceMs: number;
  /** The time of each client's last answer. */
  readonly lastAnswersMs: ReadonlyMap<string, number>;
}

/** Lists the reasons why the cluster has not recovered; empty when it has. */
export async function notRecovered(whole: Whole): Promise<string[]> {
  const { cluster, replicas } = whole;
  const wrong: string[] = [];
  for (const { id, pid } of await cluster.components()) if (pid === undefined) wrong.push(`${id} does not run`);
  try {
    for (const { metadata, spec, status } of (await cluster.client.list(nodes)).items) {
      if (!isReady({ metadata, spec, status } as Pod)) wrong.push(`node ${metadata.name} is not Ready`);
      for (const { key, effect } of spec?.taints ?? []) wrong.push(`node ${metadata.name} is tainted ${key}:${effect}`);
    }
    const { items } = await cluster.client.list(pods, { namespace: "default" });
    if (items.length !== replicas) wrong.push(`there are ${items.length} pods, wanted are ${replicas}`);
    for (const pod of items) {
      if (!isPodActive(pod)) wrong.push(`pod ${pod.metadata.name} is on its way out`);
      else if (!isReady(pod)) wrong.push(`pod ${pod.metadata.name} is ${pod.status?.phase} and not Ready`);
    }
    for (const node of cluster.nodeNames) wrong.push(...(await strayContainers(cluster, node, items)));
    wrong.push(...(await lateInformer(whole)));
  } catch (error) {
    wrong.push(`cannot be queried: ${(error as Error).message}`);
  }
  wrong.push(...(await unreadyServers(cluster)));
  for (const [client, lastMs] of whole.lastAnswersMs)
    if (lastMs < whole.answeredSinceMs) wrong.push(`${client} has had no answer`);
  return wrong;
}

/** Each of several servers reports ready itself, not only the balancer. */
async function unreadyServers({ known: { spec, paths } }: ChaosCluster): Promise<string[]> {
  const { servers = [] } = spec;
  if (servers.length === 0) return [];
  const identity = await readIdentity(paths.pki, "admin");
  const wrong = servers.map((server) => {
    const url = `https://${serverAddresses(spec, server).address}:${spec.apiPort}/readyz`;
    return fetchAs(identity, url).then(
      () => [],
      (error: unknown) => [`${server.name} is not ready: ${(error as Error).message}`],
    );
  });
  return (await Promise.all(wrong)).flat();
}

/**
 * Reports each deviation from the rule that the node runs exactly one container for each of its
 * pods, and no other containers.
 */
async function strayContainers(cluster: ChaosCluster, node: string, all: readonly Pod[]): Promise<string[]> {
  const { containerdSocket } = nodePaths(cluster.known.paths, findNode(cluster.known.spec, node));
  const runtime = createCriRuntime(
    { clock: systemClock, random: systemRandom },
    { endpoint: `unix://${containerdSocket}` },
  );
  try {
    const running = await runtime.listContainers({ state: "running" }, AbortSignal.timeout(5_000));
    const uids = running.map(({ labels }) => labels["io.kubernetes.pod.uid"] ?? "");
    const wanted = all.filter(({ spec }) => spec?.nodeName === node).map(({ metadata }) => metadata.uid ?? "");
    return [
      ...uids
        .filter((uid) => !wanted.includes(uid))
        .map((uid) => `${node} runs a container of ${uid}, which is no pod`),
      ...wanted.filter((uid) => !uids.includes(uid)).map((uid) => `${node} runs no container of pod ${uid}`),
      ...uids.filter((uid, i) => uids.indexOf(uid) < i).map((uid) => `${node} runs pod ${uid} twice`),
    ];
  } finally {
    runtime.close();
  }
}

/**
 * Reports the lag of the copy that NATS feeds. Writers continue, so the copy only must not be older
 * than an earlier list.
 */
async function lateInformer({ cluster, informer }: Whole): Promise<string[]> {
  const { items, resourceVersion } = await cluster.client.list(configMaps, { namespace: loadObjects.namespace });
  const newest = Math.max(0, ...items.map(({ metadata }) => Number(metadata.resourceVersion)));
  const deadlineMs = performance.now() + informerLagMaxMs;
  while (informer.position() < newest) {
    if (performance.now() > deadlineMs) return [`the informer is at ${informer.position()}, the store at ${newest}`];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const listed = new Map(items.map((object) => [object.metadata.name, object]));
  return informer.list().flatMap((copied) => {
    const { name, resourceVersion: revision } = copied.metadata;
    const original = listed.get(name);
    if (Number(revision) > Number(resourceVersion)) return [];
    if (original === undefined) return [`the informer has ${name}, which was not there at ${resourceVersion}`];
    if (original.metadata.resourceVersion !== revision) return [`the informer has an old ${name}, of ${revision}`];
    return isDeepStrictEqual(original.data, copied.data)
      ? []
      : [`the informer has ${name} of ${revision} with other data`];
  });
}
