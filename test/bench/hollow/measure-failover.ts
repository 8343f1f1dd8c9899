import type { Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Figure } from "../figure.ts";
import { followPods } from "../seen-by-client.ts";
import { empty, fill, podsOfCrowd, until } from "./crowd.ts";
import { type HollowTarget, openHollowTarget } from "./hollow-target.ts";

// Deaths: from the loss of nodes' power to the last replacement that is Ready, with the grace
// period and the toleration of the profile.

export interface FailoverOptions {
  nodes: number;
  podsPerNode: number;
  /** The numbers of pods on the node that dies alone. */
  crowds: readonly number[];
  kubeconfig: string | undefined;
}

/** A zone's nodes are given up one after the other, at the eviction rate of the profile. */
const deathPatienceMs = 600_000;

/** One node with so many pods dies; then a tenth of all nodes at once. */
export async function measureFailover(options: FailoverOptions): Promise<Figure[]> {
  const { nodes, podsPerNode, kubeconfig, crowds } = options;
  await using target = await openHollowTarget(nodes, kubeconfig, {
    profile: "fast",
    // A node has room for the largest crowd.
    flags: ["--max-pods", String(Math.max(podsPerNode, ...crowds) + 110), "--cpu", "256", "--memory", "1Ti"],
  });
  const following = new AbortController();
  try {
    const informer = await followPods(target.client, following.signal);
    const figures: Figure[] = [];
    for (const crowd of crowds) {
      await fill(target.client, { informer, count: crowd, preferred: target.nodeNames[0] ?? "" });
      const victims = fullest(informer, 1);
      figures.push(await die({ target, informer }, { victims, count: crowd, what: `the fullest node, ${crowd} pods` }));
      await empty(target.client, informer);
    }
    const count = nodes * podsPerNode;
    await fill(target.client, { informer, count });
    const victims = fullest(informer, Math.max(1, Math.floor(nodes / 10)));
    figures.push(
      await die({ target, informer }, { victims, count, what: `${victims.length} of ${nodes} nodes at once` }),
    );
    await empty(target.client, informer);
    return figures;
  } finally {
    following.abort();
  }
}

/**
 * The names of so many nodes with the most pods of the crowd. On a busy machine a node may have
 * been taken for dead meanwhile, and have none: its death would measure nothing.
 */
function fullest(informer: Informer<Pod>, count: number): string[] {
  const byNode = new Map<string, number>();
  for (const { spec } of podsOfCrowd(informer)) {
    const name = spec?.nodeName ?? "";
    byNode.set(name, (byNode.get(name) ?? 0) + 1);
  }
  const names = [...byNode].toSorted(([, a], [, b]) => b - a).map(([name]) => name);
  return names.slice(0, count);
}

interface Watched {
  target: HollowTarget;
  informer: Informer<Pod>;
}

interface Death {
  victims: readonly string[];
  count: number;
  what: string;
}

async function die({ target, informer }: Watched, { victims, count, what }: Death): Promise<Figure> {
  const dead = new Set(victims);
  const isLost = (pod: Pod) => dead.has(pod.spec?.nodeName ?? "");
  const lost = podsOfCrowd(informer).filter(isLost).length;
  const startedMs = performance.now();
  await target.setPower(victims, "off");
  let firstMs = Number.NaN;
  const all = until(
    informer,
    { what: `the pods of ${what} are Ready elsewhere`, patienceMs: deathPatienceMs, counts: (pod) => !isLost(pod) },
    (ready) => {
      if (ready > count - lost && Number.isNaN(firstMs)) firstMs = performance.now();
      return ready === count;
    },
  );
  await all;
  const tookMs = performance.now() - startedMs;
  await target.setPower(victims, null);
  return {
    id: `failover.${victims.length}.${lost}`,
    what: `${what} dead → all replacements Ready`,
    value: tookMs,
    unit: "ms",
    detail: `${lost} pods were on them; the first replacement was Ready after ${((firstMs - startedMs) / 1000).toFixed(1)} s; grace period and toleration included`,
  };
}
