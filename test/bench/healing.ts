import { isPodReady, type Pod, pods, profiles, replicaSets } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import { containerProcess, ctrOn, findNode, type OciRuntime } from "@kintsugi/lab";
import { type BenchCluster, bringUp, openBenchCluster } from "./bench-cluster.ts";
import { followPods, whenSeen } from "./seen-by-client.ts";
import { sleeper } from "./sleeper.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";

// Measures how fast a cluster recovers, observed from outside: by a watch on the API, like any
// client's.

/**
 * Time in which a node removes the containers, the sandbox and the files of a pod that no longer
 * exists.
 */
const tidyMs = 1500;

interface Bench {
  cluster: BenchCluster;
  informer: Informer<Pod>;
  /** Resolves with the time from the call until a pod for which `holds` is true was observed. */
  until(holds: (pod: Pod) => boolean): Promise<number>;
}

export interface HealingRuns {
  crashes: number;
  starts: number;
  deaths: number;
  ociRuntime: OciRuntime;
}

export async function measureHealing(runs: HealingRuns): Promise<Figure[]> {
  const name = `bench-heal-${process.pid}`;
  await bringUp(name, ["--nodes", "3", "--profile", "fast", "--oci-runtime", runs.ociRuntime]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const informer = await followPods(cluster.client, following.signal);
  const bench: Bench = { cluster, informer, until: (holds) => seen(informer, holds) };
  try {
    return [
      ...(await measureStarts(bench, runs.starts)),
      ...(await measureCrashes(bench, runs.crashes)),
      ...(await measureDeaths(bench, runs.deaths)),
    ];
  } finally {
    following.abort();
  }
}

async function measureStarts(bench: Bench, runs: number): Promise<Figure[]> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const name = `start-${run}`;
    const running = bench.until((pod) => pod.metadata.name === name && pod.status?.phase === "Running");
    await bench.cluster.client.create(pods, sleeper(name), { namespace: "default" });
    samples.push(await running);
    await remove(bench, name);
  }
  const { p50, p99 } = describeSamples(samples);
  return [
    {
      id: "pod.start.p50",
      what: "pod created → Running, p50",
      value: p50,
      unit: "ms",
      goal: 180,
      detail: `${runs} pods, one at a time`,
    },
    { id: "pod.start.p99", what: "pod created → Running, p99", value: p99, unit: "ms", goal: 350 },
  ];
}

async function measureCrashes(bench: Bench, runs: number): Promise<Figure[]> {
  const detected: number[] = [];
  const restarted: number[] = [];
  for (let run = 0; run < runs; run++) {
    const name = `crash-${run}`;
    const running = bench.until((pod) => pod.metadata.name === name && pod.status?.phase === "Running");
    const created = await bench.cluster.client.create(pods, sleeper(name), { namespace: "default" });
    await running;
    const pod = bench.informer.find({ namespace: "default", name }) ?? created;
    const status = pod.status?.containerStatuses?.[0];
    const node = findNode(bench.cluster.known.spec, pod.spec?.nodeName ?? "");
    const pid = await containerProcess(
      ctrOn(bench.cluster.known, node),
      status?.containerID?.replace("containerd://", "") ?? "",
    );
    const mine = (candidate: Pod) =>
      candidate.metadata.name === name ? candidate.status?.containerStatuses?.[0] : undefined;
    const down = bench.until((candidate) => {
      const now = mine(candidate);
      return now !== undefined && (now.state?.running === undefined || now.containerID !== status?.containerID);
    });
    const up = bench.until(
      (candidate) => (mine(candidate)?.restartCount ?? 0) > 0 && mine(candidate)?.state?.running !== undefined,
    );
    process.kill(pid, "SIGKILL");
    detected.push(await down);
    restarted.push(await up);
    await remove(bench, name);
  }
  const seenAt = describeSamples(detected);
  const again = describeSamples(restarted);
  return [
    {
      id: "crash.detected.p50",
      what: "container killed → seen in the API, p50",
      value: seenAt.p50,
      unit: "ms",
      goal: 20,
      detail: `${runs} kills`,
    },
    {
      id: "crash.detected.p99",
      what: "container killed → seen in the API, p99",
      value: seenAt.p99,
      unit: "ms",
      goal: 60,
    },
    { id: "crash.running.p50", what: "container killed → running again, p50", value: again.p50, unit: "ms", goal: 120 },
  ];
}

async function measureDeaths(bench: Bench, runs: number): Promise<Figure[]> {
  const replicas = 6;
  const { client, known } = bench.cluster;
  await client.create(replicaSets, { ...web, spec: { ...web.spec, replicas } }, { namespace: "default" });
  const serving = () =>
    bench.informer.list().filter((pod) => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined);
  await seen(bench.informer, () => serving().length === replicas);
  const { nodeMonitorGracePeriodMs, defaultTolerationSeconds } = profiles.fast;
  const timersMs = nodeMonitorGracePeriodMs + defaultTolerationSeconds * 1000;
  const overheads: number[] = [];
  for (let run = 0; run < runs; run++) {
    const victim = known.spec.nodes[run % known.spec.nodes.length]?.name ?? "node-1";
    const killedAtMs = systemClock.nowMs();
    await bench.cluster.kintsugi("node", "kill", victim);
    const lease = (await client.call({
      method: "GET",
      path: `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${victim}`,
    })) as { spec: { renewTime: string } };
    const heartbeatMs = Date.parse(lease.spec.renewTime);
    await seen(bench.informer, () => serving().filter((pod) => pod.spec?.nodeName !== victim).length === replicas);
    overheads.push(systemClock.nowMs() - heartbeatMs - timersMs);
    if (heartbeatMs > killedAtMs + 1_000) throw new Error("the dead node went on renewing its lease");
    await bench.cluster.kintsugi("node", "return", victim);
    await seen(
      bench.informer,
      () => bench.informer.list().filter((pod) => pod.metadata.name?.startsWith("web-")).length === replicas,
    );
    await settle(2_000);
  }
  const { p50, min, max } = describeSamples(overheads);
  return [
    {
      id: "node-death.overhead",
      what: "node dead → replacements Ready, beyond the timers",
      value: p50,
      unit: "ms",
      goal: 500,
      detail: `${runs} deaths, ${Math.round(min)} to ${Math.round(max)} ms; timers ${timersMs} ms from the last heartbeat`,
    },
  ];
}

async function seen(informer: Informer<Pod>, holds: (pod: Pod) => boolean): Promise<number> {
  const startedMs = performance.now();
  return (await whenSeen(informer, holds, { what: "what heals", patienceMs: 60_000 })) - startedMs;
}

/**
 * Deletes the pod with a grace period, so that it is removed only when its node has ended it, and
 * waits for the cleanup after that, so that the next pod does not share the node with the cleanup.
 */
async function remove({ cluster, informer }: Bench, name: string): Promise<void> {
  await cluster.client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 1 });
  const patience = { what: `the end of ${name}`, patienceMs: 60_000 };
  const gone = () => informer.find({ namespace: "default", name }) === undefined;
  if (!gone()) await whenSeen(informer, gone, patience);
  await settle(tidyMs);
}

function settle(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

const web = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: "c", image: "busybox:1", command: ["sleep", "3600"] }],
      },
    },
  },
};
