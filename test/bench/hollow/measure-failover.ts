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
      const [victim = ""] = target.nodeNames;
      await fill(target.client, { informer, count: crowd, preferred: victim });
      figures.push(
        await die({ target, informer }, { victims: [victim], count: crowd, what: `a node with ${crowd} pods` }),
      );
      await empty(target.client, informer);
    }
    const count = nodes * podsPerNode;
    await fill(target.client, { informer, count });
    const victims = target.nodeNames.slice(0, Math.max(1, Math.floor(nodes / 10)));
    figures.push(
      await die({ target, informer }, { victims, count, what: `${victims.length} of ${nodes} nodes at once` }),
    );
    await empty(target.client, informer);
    return figures;
  } finally {
    following.abort();
  }
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
