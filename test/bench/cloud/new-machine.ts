import { type Node, nodes, type Pod, pods } from "@kintsugi/api";
import { type BenchCluster, bringUp, openBenchCluster } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { follow, followPods, whenSeen } from "../seen-by-client.ts";
import { sleeper } from "../sleeper.ts";

/** The pod requests more than any node has free, and less than a new node has. */
const sharePerMille = 600;
const patienceMs = 120_000;

/**
 * Measures how long an unschedulable pod waits for a machine, and how long the machine's removal
 * takes.
 */
export async function measureNewMachine(runs: number): Promise<Figure[]> {
  const name = `bench-machine-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "fast", "--cloud", "1"]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const podInformer = await followPods(cluster.client, following.signal);
  const nodeInformer = await follow(cluster.client, { type: nodes }, following.signal);
  try {
    const [first] = nodeInformer.list();
    const cpu = `${Math.floor((Number(first?.status?.allocatable?.["cpu"] ?? 2) * sharePerMille) / 10) * 10}m`;
    const [placedMs, registeredMs, goneMs]: [number[], number[], number[]] = [[], [], []];
    const running = (wanted: string) => (pod: Pod) => pod.metadata.name === wanted && pod.status?.phase === "Running";
    await create(cluster, "resident", cpu);
    await whenSeen(podInformer, running("resident"), { what: "the first pod runs", patienceMs });
    for (let run = 0; run < runs; run++) {
      const pod = `late-${run}`;
      const sinceMs = performance.now();
      const isNew = ({ metadata }: Node) => metadata.name?.startsWith("pool-") === true;
      const registered = whenSeen(nodeInformer, isNew, { what: "a new node", patienceMs });
      const placed = whenSeen(podInformer, running(pod), { what: `${pod} runs`, patienceMs });
      await create(cluster, pod, cpu);
      registeredMs.push((await registered) - sinceMs);
      placedMs.push((await placed) - sinceMs);
      await cluster.client.delete(pods, { namespace: "default", name: pod }, { gracePeriodSeconds: 1 });
      const idleMs = performance.now();
      const isGone = () => !nodeInformer.list().some(isNew);
      goneMs.push((await whenSeen(nodeInformer, isGone, { what: "the node goes", patienceMs })) - idleMs);
    }
    const [placed, registered, gone] = [placedMs, registeredMs, goneMs].map(describeSamples);
    const between = (of: { min: number; max: number } | undefined) =>
      `${Math.round(of?.min ?? 0)} to ${Math.round(of?.max ?? 0)} ms`;
    return [
      {
        id: "machine.running",
        what: "pod without room created → Running on a new machine, p50",
        value: placed?.p50 ?? 0,
        unit: "ms",
        goal: 5_000,
        detail: `${runs} pods, ${between(placed)}; the node registers after ${between(registered)}`,
      },
      {
        id: "machine.gone",
        what: "its last pod deleted → the node is gone, p50",
        value: gone?.p50 ?? 0,
        unit: "ms",
        detail: `${between(gone)}; it has to be unneeded for 20 s, and 20 s after the order`,
      },
    ];
  } finally {
    following.abort();
  }
}

async function create({ client }: BenchCluster, name: string, cpu: string): Promise<void> {
  const { spec, ...pod } = sleeper(name);
  const [container] = spec?.containers ?? [];
  if (container === undefined) throw new Error("a sleeper has a container");
  const containers = [{ ...container, resources: { requests: { cpu } } }];
  await client.create(pods, { ...pod, spec: { ...spec, containers } }, { namespace: "default" });
}
