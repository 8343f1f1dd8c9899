import { get } from "node:http";
import { type Deployment, deployments, isPodReady, type Pod, type Service, services } from "@kintsugi/api";
import { type BenchCluster, bringUp, openBenchCluster } from "../bench-cluster.ts";
import { describeSamples } from "../distribution.ts";
import type { Figure } from "../figure.ts";
import { followPods, whenSeen } from "../seen-by-client.ts";
import type { Informer } from "@kintsugi/client";

// Measures the effect of a node's death on a client of a load balancer: it opens a new connection
// every 20 ms, and counts the connections that are refused, break or are not answered.

/** The interval of the health checks in a lab. */
const checkIntervalMs = 1_000;
const callEveryMs = 20;
/** Time after which a call counts as failed, although a browser would wait longer. */
const callTimeoutMs = 2_000;
/** Number of successful calls in a row after which the calls end. */
const quietCalls = 250;
const replicas = 6;

const policies = ["Cluster", "Local"] as const;
type Policy = (typeof policies)[number];

export async function measureBalancer(deaths: number): Promise<Figure[]> {
  const name = `bench-balancer-${process.pid}`;
  await bringUp(name, ["--nodes", "4", "--profile", "fast", "--cloud", "0"]);
  await using cluster = await openBenchCluster(name);
  const following = new AbortController();
  const informer = await followPods(cluster.client, following.signal);
  try {
    await cluster.client.create(deployments, web, { namespace: "default" });
    const ready = () => informer.list().filter(isPodReady).length >= replicas;
    if (!ready()) await whenSeen(informer, ready, { what: "the app is Ready", patienceMs: 120_000 });
    const figures: Figure[] = [];
    for (const policy of policies) {
      const address = await serve(cluster, policy);
      const samples: Death[] = [];
      for (let death = 0; death < deaths; death++) {
        const victim = busiestNode(informer);
        samples.push(await watchDeath(address, () => cluster.kintsugi("node", "kill", victim)));
        await cluster.kintsugi("node", "return", victim);
        await untilQuiet(address);
      }
      figures.push(...figuresOf(`kill.${policy.toLowerCase()}`, `node killed, policy ${policy}`, samples));
    }
    const address = await serve(cluster, "Local");
    const gone = await watchDeath(address, () => cluster.kintsugi("cloud", "terminate", busiestNode(informer)));
    figures.push(...figuresOf("terminate.local", "machine terminated, policy Local", [gone]));
    return figures;
  } finally {
    following.abort();
  }
}

function figuresOf(id: string, what: string, deaths: readonly Death[]): Figure[] {
  const lasted = describeSamples(deaths.map(({ lastFailureMs }) => lastFailureMs));
  const shares = describeSamples(deaths.map(({ failed, calls }) => (100 * failed) / Math.max(1, calls)));
  const ratio = (lasted.p50 / checkIntervalMs).toFixed(1);
  const each = deaths
    .map(({ failed, calls, bySecond }) => `${failed} of ${calls} (by second: ${bySecond.join(" ")})`)
    .join(", ");
  return [
    {
      id: `balancer.${id}.lasts`,
      what: `${what} → last call that failed`,
      value: lasted.p50,
      unit: "ms",
      detail: `${ratio} health check intervals; ${Math.round(lasted.min)} to ${Math.round(lasted.max)} ms`,
    },
    {
      id: `balancer.${id}.failed`,
      what: `${what}: calls until then that failed`,
      value: shares.p50,
      unit: "%",
      detail: each,
    },
  ];
}

/** The outcome of one death for a client. */
interface Death {
  /** The calls from the death to the last failed call. */
  readonly calls: number;
  readonly failed: number;
  /** The number of failed calls in each second after the death. */
  readonly bySecond: readonly number[];
  /** The start of the last failed call, after the death. */
  readonly lastFailureMs: number;
}

async function watchDeath(address: string, kill: () => Promise<void>): Promise<Death> {
  const calls: { atMs: number; done: Promise<boolean>; ok?: boolean }[] = [];
  const begin = () => {
    const call: (typeof calls)[number] = { atMs: performance.now(), done: ask(address) };
    calls.push(call);
    void call.done.then((ok) => (call.ok = ok));
  };
  const timer = setInterval(begin, callEveryMs);
  try {
    const killedAtMs = performance.now();
    await kill();
    const isQuiet = () => calls.length > quietCalls && calls.slice(-quietCalls).every(({ ok }) => ok !== false);
    // The death is detected after several seconds, in which calls may not fail yet.
    while (performance.now() - killedAtMs < 10 * checkIntervalMs || !isQuiet())
      await new Promise((resolve) => setTimeout(resolve, 100));
    clearInterval(timer);
    const outcomes = await Promise.all(calls.map(async ({ atMs, done }) => ({ atMs, ok: await done })));
    const failures = outcomes.filter(({ atMs, ok }) => !ok && atMs >= killedAtMs);
    const lastMs = failures.at(-1)?.atMs ?? killedAtMs;
    const until = outcomes.filter(({ atMs }) => atMs >= killedAtMs && atMs <= lastMs);
    const seconds = Math.ceil((lastMs - killedAtMs + 1) / 1_000);
    const bySecond = Array.from(
      { length: seconds },
      (_, second) => failures.filter(({ atMs }) => Math.floor((atMs - killedAtMs) / 1_000) === second).length,
    );
    return { calls: until.length, failed: failures.length, bySecond, lastFailureMs: lastMs - killedAtMs };
  } finally {
    clearInterval(timer);
  }
}

async function untilQuiet(address: string): Promise<void> {
  for (let inRow = 0; inRow < 2 * replicas;) inRow = (await ask(address)) ? inRow + 1 : 0;
}

function ask(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get({ host: address, path: "/", agent: false, timeout: callTimeoutMs }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode === 200));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    // An answer that has begun may never end.
    asked.on("close", () => resolve(false));
  });
}

/** The node with the most pods that serve. */
function busiestNode(informer: Informer<Pod>): string {
  const counts = new Map<string, number>();
  for (const pod of informer.list().filter(isPodReady)) {
    const node = pod.spec?.nodeName ?? "";
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, a], [, b]) => b - a);
  if (first === undefined) throw new Error("no pod of the app is Ready");
  return first[0];
}

/**
 * Creates a load balancer with the policy for the app, and resolves with its address once it
 * answers.
 */
async function serve({ client }: BenchCluster, policy: Policy): Promise<string> {
  const key = { namespace: "default", name: `web-${policy.toLowerCase()}` };
  const spec = {
    type: "LoadBalancer",
    externalTrafficPolicy: policy,
    selector: { app: "web" },
    ports: [{ port: 80, targetPort: 8080, protocol: "TCP" }],
  };
  if ((await client.find(services, key)) === undefined)
    await client.create(services, { apiVersion: "v1", kind: "Service", metadata: key, spec } as Service, {
      namespace: "default",
    });
  for (;;) {
    const service = await client.get(services, key);
    const address = service.status?.loadBalancer?.ingress?.[0]?.ip;
    if (address !== undefined) {
      await untilQuiet(address);
      return address;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        terminationGracePeriodSeconds: 1,
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "kubernetes.io/hostname",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: { app: "web" } },
          },
        ],
        containers: [
          {
            name: "c",
            image: "busybox:1",
            command: ["sh", "-c", "echo hello > /tmp/index.html; exec httpd -f -p 8080 -h /tmp"],
            readinessProbe: { httpGet: { port: 8080, path: "/" }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
} as Deployment;
