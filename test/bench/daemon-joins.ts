import { daemonSets, isConditionTrue, type Node, nodes, type Pod } from "@kintsugi/api";
import type { OciRuntime } from "@kintsugi/lab";
import { type BenchCluster, bringUp, openBenchCluster } from "./bench-cluster.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";
import { follow, followPods, whenSeen } from "./seen-by-client.ts";

// Measures the time from a joined node's Ready to the Running of its DaemonSet's pod, as a client
// with watches observes both.

const labels = { app: "daemon" };
const namespace = "default";
/** The times of one join, in milliseconds on one clock. */
interface Join {
  readyMs: number;
  createdMs: number;
  boundMs: number;
  runningMs: number;
}

export interface JoinRuns {
  joins: number;
  ociRuntime: OciRuntime;
}

/**
 * Repeatedly adds and removes a node in a cluster of one node; each node imports the image first.
 */
export async function measureJoins({ joins, ociRuntime }: JoinRuns): Promise<Figure[]> {
  const name = `bench-joins-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "fast", "--no-proxy", "--oci-runtime", ociRuntime]);
  await using cluster = await openBenchCluster(name);
  const spec = {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: "busybox:1", command: ["sleep", "3600"] }],
      },
    },
  };
  await cluster.client.create(daemonSets, { metadata: { name: "daemon", namespace }, spec });
  const seen: Join[] = [];
  for (let join = 0; join < joins; join++) seen.push(await measureJoin(cluster, `joins-${join}`));
  const after = (from: keyof Join, to: keyof Join) => seen.map((times) => times[to] - times[from]);
  const whole = describeSamples(after("readyMs", "runningMs"));
  const part = (id: string, what: string, samples: readonly number[]): Figure => {
    const { p50, min, max } = describeSamples(samples);
    return { id, what, value: p50, unit: "ms", detail: `${Math.round(min)} to ${Math.round(max)} ms` };
  };
  return [
    {
      id: "join.daemon.p50",
      what: "node Ready → its daemon Running, p50",
      value: whole.p50,
      unit: "ms",
      goal: 1000,
      detail: `${joins} joins, ${Math.round(whole.min)} to ${Math.round(whole.max)} ms`,
    },
    part("join.daemon.created", "node Ready → its daemon's pod made, p50", after("readyMs", "createdMs")),
    part("join.daemon.bound", "the pod made → bound, p50", after("createdMs", "boundMs")),
    part("join.daemon.started", "the pod bound → Running, p50", after("boundMs", "runningMs")),
  ];
}

const patienceMs = 120_000;

async function measureJoin(cluster: BenchCluster, node: string): Promise<Join> {
  const following = new AbortController();
  const { signal } = following;
  try {
    const [seenNodes, seenPods] = await Promise.all([
      follow<Node>(cluster.client, { type: nodes }, signal),
      followPods(cluster.client, signal),
    ]);
    const at = (what: string, holds: (pod: Pod) => boolean) =>
      whenSeen(seenPods, (pod) => isFor(pod, node) && holds(pod), { what: `${what} on ${node}`, patienceMs });
    const isReady = ({ metadata, status }: Node) =>
      metadata.name === node && isConditionTrue(status?.conditions, "Ready");
    const times = Promise.all([
      whenSeen(seenNodes, isReady, { what: `${node} is Ready`, patienceMs }),
      at("a pod", () => true),
      at("a bound pod", ({ spec }) => spec?.nodeName === node),
      at("a running pod", ({ status }) => status?.phase === "Running"),
    ]);
    const [[readyMs, createdMs, boundMs, runningMs]] = await Promise.all([
      times,
      cluster.kintsugi("node", "add", node),
    ]);
    return { readyMs, createdMs, boundMs, runningMs };
  } finally {
    following.abort();
    await cluster.kintsugi("node", "remove", "--force", node);
  }
}

/** The pod of a DaemonSet is tied to its node by affinity before it is bound. */
function isFor({ spec }: Pod, node: string): boolean {
  return spec?.nodeName === node || JSON.stringify(spec?.affinity?.nodeAffinity ?? {}).includes(`"${node}"`);
}
