import { deployments, horizontalPodAutoscalers, jobs, nodes, type Pod, pods, serviceAccounts } from "@kintsugi/api";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { aDeployment } from "@kintsugi/simulation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startCluster, type TestCluster } from "@kintsugi/testing";

// All timers of a cluster follow its clock, and only they do. Each of these tests takes minutes of
// the cluster, and a moment of real time.

const namespace = "default";
const [second, minute] = [1000, 60_000];

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 2 });
}, 60_000);
afterAll(() => cluster?.stop());

/** Returns the time of the cluster until the condition is true. */
async function timeUntil(holds: () => Promise<boolean>): Promise<number> {
  const startMs = cluster.clock.nowMs();
  await cluster.clock.advanceUntil(holds, { atMost: "2h" });
  return cluster.clock.nowMs() - startMs;
}

const podOf = (name: string) => cluster.client.find(pods, { namespace, name });
const isReady = (pod: Pod | undefined) =>
  pod?.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";

function aPod(name: string, container: object, spec: object = {}) {
  return { metadata: { namespace, name }, spec: { containers: [{ name: "c", image: "app", ...container }], ...spec } };
}

test("a probe waits for its delay", async () => {
  const readinessProbe = { exec: { command: ["true"] }, initialDelaySeconds: 90 };
  await cluster.client.create(pods, aPod("slow", { readinessProbe }));
  const tookMs = await timeUntil(async () => isReady(await podOf("slow")));
  expect(tookMs).toBeGreaterThanOrEqual(90 * second);
  expect(tookMs).toBeLessThan(105 * second);
}, 60_000);

test("a container that crashes waits for its back-off", async () => {
  await cluster.client.create(pods, aPod("crash", { image: "busybox", command: ["sh", "-c", "exit 3"] }));
  await cluster.clock.advance("9m");
  // The restarts are delayed by 10, 20, 40, 80, 160 and 300 s.
  const [status] = (await podOf("crash"))?.status?.containerStatuses ?? [];
  expect(status?.restartCount).toBe(6);
  await cluster.client.delete(pods, { namespace, name: "crash" });
}, 60_000);

test("a Job is removed after its TTL", async () => {
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "busybox" }] } };
  const key = { namespace, name: "brief" };
  await cluster.client.create(jobs, { metadata: key, spec: { template, ttlSecondsAfterFinished: 1800 } });
  const tookMs = await timeUntil(async () => (await cluster.client.find(jobs, key)) === undefined);
  // Times of the API are whole seconds.
  expect(tookMs).toBeGreaterThanOrEqual(30 * minute - second);
  expect(tookMs).toBeLessThan(31 * minute);
}, 60_000);

test("an autoscaler waits for its window before it removes pods", async () => {
  const deployment = aDeployment("idle", 4);
  const [container] = deployment.spec?.template.spec?.containers ?? [];
  if (container) container.resources = { requests: { cpu: "100m" } };
  await cluster.client.create(deployments, deployment);
  await cluster.clock.advance("1m");
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "idle" };
  const target = { type: "Utilization" as const, averageUtilization: 50 };
  await cluster.client.create(horizontalPodAutoscalers, {
    metadata: { namespace, name: "idle" },
    spec: {
      scaleTargetRef,
      minReplicas: 1,
      maxReplicas: 6,
      metrics: [{ type: "Resource" as const, resource: { name: "cpu", target } }],
    },
  });
  const tookMs = await timeUntil(async () => {
    const found = await cluster.client.get(deployments, { namespace, name: "idle" });
    return (found.spec?.replicas ?? 0) < 4;
  });
  expect(tookMs).toBeGreaterThanOrEqual(5 * minute);
  expect(tookMs).toBeLessThan(6 * minute);
}, 60_000);

test("a token expires", async () => {
  await cluster.client.create(serviceAccounts, { metadata: { namespace, name: "brief" } });
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/brief/token`;
  const issued = await cluster.client.call({ method: "POST", path, body: { spec: { expirationSeconds: 600 } } });
  const { token } = (issued as { status: { token: string } }).status;
  const { server, ca } = loadKubeconfig(cluster.kubeconfig);
  const access = { server, ca, token, userAgent: "test" };
  const client = createHttpClient({ clock: systemClock, random: systemRandom }, access);
  const isKnown = () =>
    client.call({ method: "GET", path: "/apis" }).then(
      () => true,
      () => false,
    );
  const known = [await isKnown()];
  for (const duration of ["9m", "2m"]) {
    await cluster.clock.advance(duration);
    known.push(await isKnown());
  }
  await client.close();
  expect(known).toEqual([true, true, false]);
}, 60_000);

test("a node's Lease expires, and its pods' tolerations end", async () => {
  await cluster.client.create(pods, aPod("bound", {}, { nodeName: "node-2" }));
  await cluster.clock.advance("1m");
  await using _ = await cluster.nodes.kill("node-2");
  const unknownMs = await timeUntil(async () => {
    const node = await cluster.client.get(nodes, { namespace: "", name: "node-2" });
    return node.status?.conditions?.find(({ type }) => type === "Ready")?.status === "Unknown";
  });
  expect(unknownMs).toBeGreaterThanOrEqual(30 * second);
  expect(unknownMs).toBeLessThan(56 * second);
  const evictedMs = await timeUntil(async () => (await podOf("bound"))?.metadata.deletionTimestamp !== undefined);
  expect(evictedMs).toBeGreaterThanOrEqual(295 * second);
  expect(evictedMs).toBeLessThan(310 * second);
}, 60_000);
