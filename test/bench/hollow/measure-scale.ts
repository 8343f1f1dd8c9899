import { pods } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { followPods } from "../seen-by-client.ts";
import { empty, fill } from "./crowd.ts";
import { type HollowTarget, openHollowTarget } from "./hollow-target.ts";
import { printed } from "./printed.ts";

// Measures a cluster of hollow nodes when it is idle, and while it fills: the resources of each
// process, and how long a well-behaved client waits in the meantime.

export interface ScaleOptions {
  nodes: number;
  podsPerNode: number;
  restMs: number;
  kubeconfig: string | undefined;
}

/** The load of a client with ten requests a second is negligible for the server. */
const askEveryMs = 100;

/** The time after which all events of the nodes' start, and of the pods', are written. */
const settleBaseMs = 5_000;
const settleMsOfNode = 15;
const settleMsOfPod = 3;

/** Time to Ready, filling, idle; processor time, memory and the latency of the API. */
export async function measureScale(options: ScaleOptions): Promise<Figure[]> {
  const { nodes, podsPerNode, restMs, kubeconfig } = options;
  await using target = await openHollowTarget(nodes, kubeconfig);
  const following = new AbortController();
  try {
    const informer = await followPods(target.client, following.signal);
    const figures: Figure[] = [];
    const add = (...measured: readonly Figure[]) => {
      figures.push(...printed(measured));
    };
    add({ id: `scale.ready.${nodes}`, what: `${nodes} hollow nodes Ready`, value: target.readyMs, unit: "ms" });
    await systemClock.sleep(settleBaseMs + nodes * settleMsOfNode);
    add(...(await rest(target, { restMs, when: "empty" })));
    const count = nodes * podsPerNode;
    const filledMs = await fill(target.client, { informer, count });
    add({
      id: `scale.fill.${nodes}`,
      what: `${count} pods from a Deployment Running on ${nodes} nodes`,
      value: (count * 1000) / filledMs,
      unit: "/s",
      goal: 500,
    });
    await systemClock.sleep(settleBaseMs + count * settleMsOfPod);
    add(...(await rest(target, { restMs, when: `${count} pods` })));
    // The nodes of another host's cluster are removed with their pods; this host's cluster is
    // removed as a whole.
    if (kubeconfig !== undefined) await empty(target.client, informer);
    return figures;
  } finally {
    following.abort();
  }
}

/** Measures a period without changes: each process, and the latency of the API. */
async function rest(target: HollowTarget, { restMs, when }: { restMs: number; when: string }): Promise<Figure[]> {
  const latencies: number[] = [];
  const before = await target.usage();
  const startedMs = performance.now();
  while (performance.now() - startedMs < restMs) {
    const askedMs = performance.now();
    await target.client.list(pods, { namespace: "kube-system", pageLimit: 10 });
    latencies.push(performance.now() - askedMs);
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
  const after = await target.usage();
  const tookSeconds = (performance.now() - startedMs) / 1000;
  const { p50, p99, count } = describeSamples(latencies);
  const scope = `${target.nodeNames.length} nodes, ${when}`;
  const id = `scale.${target.nodeNames.length}.${when.replaceAll(" ", "-")}`;
  return [
    { id: `${id}.p50`, what: `API latency at rest, ${scope}, p50`, value: p50, unit: "ms", detail: `${count} lists` },
    { id: `${id}.p99`, what: `API latency at rest, ${scope}, p99`, value: p99, unit: "ms", goal: 50 },
    ...[...after].flatMap(([process, { cpuSeconds, rssMb }]): Figure[] => [
      {
        id: `${id}.${process}.cpu`,
        what: `share of a core at rest, ${scope}: ${process}`,
        value: (100 * (cpuSeconds - (before.get(process)?.cpuSeconds ?? 0))) / tookSeconds,
        unit: "%",
      },
      { id: `${id}.${process}.memory`, what: `memory at rest, ${scope}: ${process}`, value: rssMb, unit: "MB" },
    ]),
  ];
}
