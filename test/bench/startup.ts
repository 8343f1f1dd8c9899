import { isConditionTrue, leases, nodes, services } from "@kintsugi/api";
import { type Client, loadKubeconfig } from "@kintsugi/client";
import { findCluster } from "@kintsugi/lab";
import { app, deployApp, resolverOf } from "./app.ts";
import { bringUp, openBenchCluster, processUsage } from "./bench-cluster.ts";
import { follow, whenSeen } from "./seen-by-client.ts";
import { describeSamples } from "./distribution.ts";
import type { Figure } from "./figure.ts";
import { openConnection, requestBytes, type ServerAccess } from "./api/http-connection.ts";

/** Polling interval, fine enough for figures of hundreds of milliseconds. */
const lookEveryMs = 5;
const patienceMs = 60_000;

interface Startup {
  apiMs: number;
  controlPlaneMs: number;
  nodesMs: number;
  appMs: number;
  steps: string;
}

/** Measures the cold start of `kintsugi up`, including command line, certificates and images. */
export async function measureStartup(runs: number): Promise<Figure[]> {
  const measured: Startup[] = [];
  for (let run = 0; run < runs; run++) measured.push(await startOnce(`bench-up-${process.pid}-${run}`));
  const figure = (id: string, what: string, goal: number | undefined, pick: (startup: Startup) => number): Figure => {
    const { p50, min, max } = describeSamples(measured.map(pick));
    const between = `${runs} runs, ${Math.round(min)} to ${Math.round(max)} ms`;
    return {
      id: `up.${id}`,
      what,
      value: p50,
      unit: "ms",
      ...(goal === undefined ? {} : { goal }),
      detail: id === "nodes" ? `${between}; steps of the last: ${measured.at(-1)?.steps}` : between,
    };
  };
  return [
    figure("api", "up: API ready", 500, (startup) => startup.apiMs),
    figure("control-plane", "up: scheduler and controller-manager lead", 1_000, (startup) => startup.controlPlaneMs),
    figure("nodes", "up: three nodes Ready", 1_500, (startup) => startup.nodesMs),
    figure("app", "up: a Deployment runs, and its Service's name is answered", undefined, (startup) => startup.appMs),
  ];
}

async function startOnce(name: string): Promise<Startup> {
  const startedMs = performance.now();
  const since = () => performance.now() - startedMs;
  const up = bringUp(name, ["--nodes", "3", "--profile", "default"]);
  // A failure of `up` is handled where the promise is awaited. Until then it must not end the run.
  up.catch(() => {});
  await look(async () => (await findCluster(name)) !== undefined);
  await look(async () =>
    openBenchCluster(name)
      .then((c) => c.client.close().then(() => true))
      .catch(() => false),
  );
  await using cluster = await openBenchCluster(name);
  const access = loadKubeconfig(cluster.known.paths.adminKubeconfig);
  const isReady = () => askOnce(access, "/readyz").then((code) => code === 200);
  await look(() => isReady().catch(() => false));
  const apiMs = since();
  const following = new AbortController();
  const [controlPlaneMs, nodesMs] = await Promise.all([
    untilLed(cluster.client, following.signal).then(since),
    untilReady(cluster.client, following.signal).then(since),
  ]);
  following.abort();
  await untilAppAnswers(cluster.client);
  const appMs = since();
  await up;
  const steps = (await cluster.status()).steps.map((step) => `${step.name} ${step.tookMs} ms`).join(", ");
  return { apiMs, controlPlaneMs, nodesMs, appMs, steps };
}

/**
 * Returns the status code of one answer. Makes one attempt, because a client that retries by itself
 * would be late by its pauses.
 */
async function askOnce(access: ServerAccess, path: string): Promise<number> {
  const connection = await openConnection(access);
  try {
    return await connection.send(requestBytes(access, "GET", path));
  } finally {
    connection.close();
  }
}

// The waits use watches, because a client that polls every few milliseconds would use a good part
// of a core that the starting services need.

async function untilLed(client: Client, signal: AbortSignal): Promise<void> {
  const seen = await follow(client, { type: leases, namespace: "kube-system" }, signal);
  const isLed = (name: string) => (seen.find({ namespace: "kube-system", name })?.spec?.holderIdentity ?? "") !== "";
  const led = () => isLed("kube-scheduler") && isLed("kube-controller-manager");
  await whenSeen(seen, led, { what: "leaders", patienceMs });
}

async function untilReady(client: Client, signal: AbortSignal): Promise<void> {
  const seen = await follow(client, { type: nodes }, signal);
  const ready = () => seen.list().filter((node) => isConditionTrue(node.status?.conditions, "Ready")).length === 3;
  await whenSeen(seen, ready, { what: "three nodes that are Ready", patienceMs });
}

/**
 * Waits like minikube's benchmark: until an app runs, and its Service is resolved by name from the
 * app's place.
 */
async function untilAppAnswers(client: Client): Promise<void> {
  const following = new AbortController();
  const pod = await deployApp(client, following.signal);
  following.abort();
  const { spec } = await client.get(services, { namespace: "default", name: app });
  const resolver = await resolverOf(client, pod.spec?.nodeName ?? "");
  const name = `${app}.default.svc.cluster.local`;
  await look(async () => (await resolver.resolve4(name).catch((): string[] => [])).includes(spec?.clusterIP ?? ""));
}

/** Every option of `up` that adds programs. Three servers add etcd and HAProxy. */
const everyPart = ["--nodes", "2", "--profile", "default", "--cloud", "--ingress", "--devices", "1", "--rebalance"];
const everyProgram = {
  "every-part": [...everyPart, "--hollow", "1"],
  servers: ["--nodes", "1", "--profile", "default", "--servers", "3"],
} as const;
/** Maximum processor share of a program in an idle cluster. */
const idleProgramPercent = 3;

/** Memory and processor time of idle clusters, by process. */
export async function measureIdle(settleMs: number, windowMs: number): Promise<Figure[]> {
  const figures = plainFigures(await idleUsage(["--nodes", "3", "--profile", "default"], settleMs, windowMs));
  for (const [name, args] of Object.entries(everyProgram)) {
    const usage = await idleUsage(args, settleMs, windowMs);
    const programs = usage.map(({ id, cpuPercent }): Figure => ({
      id: `idle.cpu.${name}.${id}`,
      what: `idle processor of ${id}, in a cluster ${name === "servers" ? "of three servers" : "with every part"}`,
      value: cpuPercent,
      unit: "%",
      goal: idleProgramPercent,
    }));
    figures.push(...programs);
  }
  return figures;
}

interface Usage {
  id: string;
  rssMb: number;
  cpuPercent: number;
}

async function idleUsage(args: readonly string[], settleMs: number, windowMs: number): Promise<Usage[]> {
  const name = `bench-idle-${process.pid}`;
  await bringUp(name, args);
  await using cluster = await openBenchCluster(name);
  await sleep(settleMs);
  const components = (await cluster.status()).components.filter((component) => component.pid !== undefined);
  const before = new Map(
    await Promise.all(components.map(async (c) => [c.id, await processUsage(c.pid ?? 0)] as const)),
  );
  await sleep(windowMs);
  return Promise.all(
    components.map(async ({ id, pid }) => {
      const after = await processUsage(pid ?? 0);
      return {
        id,
        rssMb: after.rssMb,
        cpuPercent: ((after.cpuSeconds - (before.get(id)?.cpuSeconds ?? 0)) / windowMs) * 100_000,
      };
    }),
  );
}

function plainFigures(usage: readonly Usage[]): Figure[] {
  const control = usage.filter(({ id }) => ["nats", "api-server", "scheduler", "controller-manager"].includes(id));
  const kubelets = usage.filter(({ id }) => id.startsWith("kubelet@"));
  const sum = (list: readonly Usage[], pick: (entry: Usage) => number) =>
    list.reduce((total, entry) => total + pick(entry), 0);
  const parts = (list: readonly Usage[], pick: (entry: Usage) => number) =>
    list.map((entry) => `${entry.id} ${pick(entry).toFixed(1)}`).join(", ");
  return [
    {
      id: "idle.rss.control-plane",
      what: "idle memory, control plane",
      value: sum(control, (e) => e.rssMb),
      unit: "MB",
      goal: 290,
      detail: parts(control, (e) => e.rssMb),
    },
    {
      id: "idle.rss.kubelet",
      what: "idle memory, one kubelet",
      value: sum(kubelets, (e) => e.rssMb) / kubelets.length,
      unit: "MB",
      goal: 85,
      detail: parts(kubelets, (e) => e.rssMb),
    },
    {
      id: "idle.rss.total",
      what: "idle memory, all processes",
      value: sum(usage, (e) => e.rssMb),
      unit: "MB",
      detail: parts(
        usage.filter((e) => e.id.startsWith("containerd")),
        (e) => e.rssMb,
      ),
    },
    {
      id: "idle.cpu.control-plane",
      what: "idle processor, control plane",
      value: sum(control, (e) => e.cpuPercent),
      unit: "%",
      goal: 1,
      detail: parts(control, (e) => e.cpuPercent),
    },
    {
      id: "idle.cpu.kubelet",
      what: "idle processor, one kubelet",
      value: sum(kubelets, (e) => e.cpuPercent) / kubelets.length,
      unit: "%",
      goal: 0.5,
      detail: parts(kubelets, (e) => e.cpuPercent),
    },
  ];
}

async function look(seen: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!(await seen())) {
    if (performance.now() > until) throw new Error("not seen within 60 s");
    await sleep(lookEveryMs);
  }
}

function sleep(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
