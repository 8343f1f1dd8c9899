import type { Pod, ProfileName } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Figure } from "../figure.ts";
import { followPods } from "../seen-by-client.ts";
import { empty, fill, podsOfCrowd, until } from "./crowd.ts";
import { type HollowTarget, openHollowTarget } from "./hollow-target.ts";
import { printed } from "./printed.ts";

// Measures deaths: the time from the loss of nodes' power until the last of their pods is no longer
// Ready, so that Services exclude it, and until the last replacement is Ready, with the grace
// period and the toleration of the profile.

export interface FailoverOptions {
  nodes: number;
  podsPerNode: number;
  /** The numbers of pods on the node that dies alone. */
  crowds: readonly number[];
  kubeconfig: string | undefined;
  /**
   * Unless the profile is `fast`, the death of a tenth of the nodes is followed only until their
   * pods are not Ready, because the eviction rate (a node in 10 s) alone makes their replacement
   * last half an hour.
   */
  profile: ProfileName;
}

/** A zone's nodes are evicted one after the other, at the eviction rate of the profile. */
const deathPatienceMs = 600_000;

/** First one node with a given number of pods dies, then a tenth of all nodes at the same time. */
export async function measureFailover(options: FailoverOptions): Promise<Figure[]> {
  const { nodes, podsPerNode, kubeconfig, crowds, profile } = options;
  await using target = await openHollowTarget(nodes, kubeconfig, {
    profile,
    // A node has room for the largest crowd.
    flags: ["--max-pods", String(Math.max(podsPerNode, ...crowds) + 110), "--cpu", "256", "--memory", "1Ti"],
  });
  const following = new AbortController();
  try {
    const informer = await followPods(target.client, following.signal);
    const figures: Figure[] = [];
    const add = (measured: readonly Figure[]) => {
      figures.push(...printed(measured));
    };
    for (const crowd of crowds) {
      await fill(target.client, { informer, count: crowd, preferred: target.nodeNames[0] ?? "" });
      const victims = fullest(informer, 1);
      const what = `the fullest node, ${crowd} pods`;
      add(await die({ target, informer }, { victims, count: crowd, what, until: "replaced" }));
      await empty(target.client, informer);
    }
    const count = nodes * podsPerNode;
    await fill(target.client, { informer, count });
    const victims = fullest(informer, Math.max(1, Math.floor(nodes / 10)));
    const what = `${victims.length} of ${nodes} nodes at once`;
    add(await die({ target, informer }, { victims, count, what, until: profile === "fast" ? "replaced" : "unready" }));
    // The nodes of another host's cluster are removed with their pods; this host's cluster is
    // removed as a whole.
    if (kubeconfig !== undefined) await empty(target.client, informer);
    return figures;
  } finally {
    following.abort();
  }
}

/**
 * The names of the nodes with the most pods. On a busy machine, a node without pods may have been
 * considered dead in the meantime, and its death would not be a valid measurement.
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
  /** The end of the measurement: the pods of the dead nodes are not Ready, or are replaced. */
  until: "unready" | "replaced";
}

async function die({ target, informer }: Watched, { victims, count, what, until: end }: Death): Promise<Figure[]> {
  const dead = new Set(victims);
  const isLost = (pod: Pod) => dead.has(pod.spec?.nodeName ?? "");
  const lost = podsOfCrowd(informer).filter(isLost).length;
  const detail = `${lost} pods were on ${victims.length === 1 ? "it" : "them"}`;
  const id = `failover.${victims.length}.${lost}`;
  const startedMs = performance.now();
  const sinceStartMs = () => performance.now() - startedMs;
  await target.setPower(victims, "off");
  const unready = until(
    informer,
    { what: `the pods of ${what} are not Ready`, patienceMs: deathPatienceMs, counts: isLost },
    (ready) => ready === 0,
  ).then(sinceStartMs);
  const replaced = end === "replaced" ? replacement() : undefined;
  const [unreadyMs, times] = await Promise.all([unready, replaced]);
  await target.setPower(victims, null);
  const figures: Figure[] = [
    { id: `${id}.unready`, what: `${what} dead → their pods not Ready`, value: unreadyMs, unit: "ms", detail },
  ];
  if (times === undefined) return figures;
  return [
    ...figures,
    {
      id,
      what: `${what} dead → all replacements Ready`,
      value: times.lastMs,
      unit: "ms",
      detail: `${detail}; the first replacement was Ready after ${(times.firstMs / 1000).toFixed(1)} s; grace period and toleration included`,
    },
  ];

  async function replacement(): Promise<{ firstMs: number; lastMs: number }> {
    let firstMs = Number.NaN;
    await until(
      informer,
      {
        what: `the pods of ${what} are Ready on other nodes`,
        patienceMs: deathPatienceMs,
        counts: (pod) => !isLost(pod),
      },
      (ready) => {
        if (ready > count - lost && Number.isNaN(firstMs)) firstMs = sinceStartMs();
        return ready === count;
      },
    );
    return { firstMs, lastMs: sinceStartMs() };
  }
}
