import { readFile } from "node:fs/promises";
import { isPodReady, nodes, type Pod, pods } from "@kintsugi/api";
import { type Informer, loadKubeconfig } from "@kintsugi/client";
import { systemClock } from "@kintsugi/clock";
import type { OciRuntime } from "@kintsugi/lab";
import { fetchAs } from "../../support/fetch-as.ts";
import { runProgram } from "../../support/run-program.ts";
import { type BenchCluster, benchKubeconfig, bringUp, openBenchCluster, processUsage } from "../bench-cluster.ts";
import { followPods, whenSeen } from "../seen-by-client.ts";
import { sleeper } from "../sleeper.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { type ProcessorTimes, processorTimes } from "./processor-time.ts";

// Fills a whole node of a real cluster with its 110 pods: measures the speed, the cost, and the
// time until a new kubelet has taken all of them over.

interface Bench {
  cluster: BenchCluster;
  informer: Informer<Pod>;
  /** The number of pods that fit the node. */
  full: number;
}

export interface FullNodeRuns {
  /** Pods that are started one at a time. */
  singles: number;
  /** Time for which the full node is observed when idle. */
  windowMs: number;
  /** The number of pods that fill the node: 110, unless a smaller number has to suffice. */
  full: number;
  ociRuntime: OciRuntime;
}

export async function measureFullNode({ singles, windowMs, full, ociRuntime }: FullNodeRuns): Promise<Figure[]> {
  const name = `bench-kubelet-${process.pid}`;
  await bringUp(name, ["--nodes", "1", "--profile", "default", "--oci-runtime", ociRuntime]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const informer = await followPods(cluster.client, following.signal);
  const bench = { cluster, informer, full };
  try {
    // A process that has just started releases its memory for loading after half a minute.
    await systemClock.sleep(40_000);
    const idle = await processUsage(await kubeletProcess(cluster));
    const figures = await measureSingles(bench, singles);
    figures.push(...(await measureBurst(bench, Math.min(30, full - 1))), ...(await measureBurst(bench, full)));
    figures.push(...(await measureUsage(bench, idle.rssMb, windowMs)));
    figures.push(await measureExec(bench), await measureAdoption(bench));
    return figures;
  } finally {
    following.abort();
  }
}

async function measureSingles(bench: Bench, count: number): Promise<Figure[]> {
  const samples: number[] = [];
  for (let i = 0; i < count; i++) {
    samples.push(await create(bench, [`single-${i}`]));
    await remove(bench);
  }
  const { p50, p99 } = describeSamples(samples);
  const what = "one pod created → Running";
  return [
    { id: "kubelet.start.p50", what: `${what}, p50`, value: p50, unit: "ms", goal: 180, detail: `${count} pods` },
    { id: "kubelet.start.p99", what: `${what}, p99`, value: p99, unit: "ms", goal: 350 },
  ];
}

/** The pods of the largest burst remain. */
async function measureBurst(bench: Bench, count: number): Promise<Figure[]> {
  const before = await processorTimes(bench.cluster);
  const tookMs = await create(
    bench,
    Array.from({ length: count }, (_, i) => `burst-${count}-${i}`),
  );
  const after = await processorTimes(bench.cluster);
  const perPod = (of: keyof ProcessorTimes) => Math.round((after[of] - before[of]) / count);
  const used = `kubelet ${perPod("kubelet")}, control plane ${perPod("controlPlane")}, runtime ${perPod("runtime")}`;
  if (count < bench.full) await remove(bench);
  const goal = count === bench.full ? { goal: 12 } : {};
  return [
    {
      id: `kubelet.burst.${count}.rate`,
      what: `${count} pods created at once, Running`,
      value: count / (tookMs / 1000),
      unit: "/s",
      ...goal,
      detail: `all after ${(tookMs / 1000).toFixed(2)} s; processor ms per pod: ${used}`,
    },
  ];
}

/** Creates all pods simultaneously, and resolves with the time until the last pod was Running. */
async function create({ cluster, informer }: Bench, names: readonly string[]): Promise<number> {
  const missing = new Set(names);
  const startedMs = performance.now();
  const noteRunning = (pod: Pod) => {
    if (pod.status?.phase === "Running") missing.delete(pod.metadata.name ?? "");
    return missing.size === 0;
  };
  const all = whenSeen(informer, noteRunning, { what: `${names.length} pods Running`, patienceMs: 180_000 });
  const key = { namespace: "default" };
  await Promise.all(names.map((name) => cluster.client.create(pods, sleeper(name), key)));
  return (await all) - startedMs;
}

/**
 * The object of a pod without a grace period is removed before its containers, whose removal would
 * slow down the next measurement.
 */
async function remove({ cluster, informer }: Bench): Promise<void> {
  const keys = informer.list().map(({ metadata }) => ({ namespace: "default", name: metadata.name ?? "" }));
  await Promise.all(keys.map((key) => cluster.client.delete(pods, key, { gracePeriodSeconds: 1 })));
  await until(async () => (informer.list().length === 0 ? true : undefined));
  await systemClock.sleep(300);
}

async function measureUsage({ cluster, full }: Bench, idleMb: number, windowMs: number): Promise<Figure[]> {
  // The work after the burst is done: statuses are written, probes and listings are regular.
  await systemClock.sleep(15_000);
  const pid = await kubeletProcess(cluster);
  const before = await processUsage(pid);
  await systemClock.sleep(windowMs);
  const after = await processUsage(pid);
  const percent = ((after.cpuSeconds - before.cpuSeconds) / windowMs) * 100_000;
  const detail = `over ${windowMs / 1000} s`;
  return [
    { id: "kubelet.rss.idle", what: "memory of a kubelet without pods", value: idleMb, unit: "MB", goal: 85 },
    { id: "kubelet.rss.full", what: `memory with ${full} pods`, value: after.rssMb, unit: "MB", goal: 150 },
    { id: "kubelet.cpu.full", what: `processor with ${full} idle pods`, value: percent, unit: "%", goal: 2, detail },
  ];
}

/** The time includes the start of kubectl, and the request through the API server. */
async function measureExec({ informer }: Bench): Promise<Figure> {
  const name = informer.list()[0]?.metadata.name ?? "";
  const samples: number[] = [];
  for (let i = 0; i < 11; i++) {
    const startedMs = performance.now();
    const { code, stderr } = await runProgram("kubectl", ["--kubeconfig", benchKubeconfig, "exec", name, "--", "true"]);
    if (code !== 0) throw new Error(`kubectl exec ended with ${code}: ${stderr}`);
    samples.push(performance.now() - startedMs);
  }
  const { p50 } = describeSamples(samples);
  return {
    id: "kubelet.exec.kubectl.p50",
    what: "kubectl exec POD -- true, p50",
    value: p50,
    unit: "ms",
    detail: "11",
  };
}

/**
 * Measures the time from the start of the new process until each pod has been read, compared and
 * found unchanged.
 */
async function measureAdoption({ cluster, informer, full }: Bench): Promise<Figure> {
  const before = containersOf(informer);
  const old = await kubeletProcess(cluster);
  process.kill(old, "SIGKILL");
  const killedAtMs = performance.now();
  const pid = await until(async () => {
    const now = await kubeletProcess(cluster).catch(() => old);
    return now === old ? undefined : now;
  });
  const startedAtMs = await startOf(pid);
  const adoptedAtMs = await until(async () => {
    const adopted = await adoptedPods(cluster).catch(() => 0);
    return adopted >= full ? performance.now() : undefined;
  });
  await systemClock.sleep(2000);
  const after = containersOf(informer);
  const changed = [...before].filter(([name, container]) => after.get(name) !== container);
  if (changed.length > 0) throw new Error(`${changed.length} of ${before.size} containers were restarted or lost`);
  return {
    id: "kubelet.adoption",
    what: `kubelet started again → ${full} pods taken over`,
    value: adoptedAtMs - startedAtMs,
    unit: "ms",
    goal: 2000,
    detail: `with the start of its process; ${Math.round(adoptedAtMs - killedAtMs)} ms after the kill; nothing restarted`,
  };
}

function containersOf(informer: Informer<Pod>): Map<string, string> {
  const ready = informer.list().filter(isPodReady);
  return new Map(
    ready.map(({ metadata, status }) => {
      const [container] = status?.containerStatuses ?? [];
      return [metadata.name ?? "", `${container?.containerID} ${container?.restartCount}`];
    }),
  );
}

/** Pods that the kubelet has synced once, from its own metrics. */
async function adoptedPods(cluster: BenchCluster): Promise<number> {
  const [node] = (await cluster.client.list(nodes)).items;
  const address = node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
  const port = node?.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10250;
  const admin = loadKubeconfig(cluster.known.paths.adminKubeconfig);
  const text = await fetchAs(admin, `https://${address}:${port}/metrics`);
  const count = /^kubelet_pod_worker_duration_seconds_count\{[^}]*operation_type="create"[^}]*\} (\d+)/m.exec(text);
  return Number(count?.[1] ?? 0);
}

async function kubeletProcess(cluster: BenchCluster): Promise<number> {
  const { components } = await cluster.status();
  const pid = components.find(({ id }) => id.startsWith("kubelet@"))?.pid;
  if (pid === undefined) throw new Error("the kubelet does not run");
  return pid;
}

/** Returns the start time on this process's performance clock; the kernel reports it to 10 ms. */
async function startOf(pid: number): Promise<number> {
  const [stat, uptime] = await Promise.all([readFile(`/proc/${pid}/stat`, "utf8"), readFile("/proc/uptime", "utf8")]);
  // Field 22 of proc(5), in ticks of 10 ms since the boot.
  const startedSeconds = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]) / 100;
  return performance.now() - (Number(uptime.split(" ")[0]) - startedSeconds) * 1000;
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const giveUpAtMs = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAtMs) throw new Error("not seen within 60 s");
    await systemClock.sleep(10);
  }
}
