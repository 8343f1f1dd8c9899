import { configMaps, cronJobs, deployments, jobs, nodes, pods } from "@kintsugi/api";
import { createHttpClient, loadKubeconfig } from "@kintsugi/client";
import { systemClock, systemRandom } from "@kintsugi/clock";
import { aDeployment } from "@kintsugi/simulation";
import { describe, expect, test, vi } from "vitest";
import { startCluster } from "./start-cluster.ts";

const web = { namespace: "default", name: "web" };

describe("a test's cluster", () => {
  test("has a client over HTTPS while its clock is stopped, and advances it until a Deployment is available", async () => {
    await using cluster = await startCluster({ nodes: 2 });
    const access = loadKubeconfig(cluster.kubeconfig);
    const outside = createHttpClient({ clock: systemClock, random: systemRandom }, { ...access, userAgent: "test" });
    await outside.create(deployments, aDeployment("web", 3));
    const report = await cluster.clock.advanceUntil(
      async () => (await cluster.client.get(deployments, web)).status?.availableReplicas === 3,
      { atMost: "1m", giveClients: 5 },
    );
    expect(report).toMatchObject({ settled: true, reached: true });
    const before = cluster.clock.nowMs();
    const advance = await outside.call({
      method: "POST",
      path: "/apis/kintsugi.dev/v1alpha1/clock",
      body: {
        until: { expression: "object.status.availableReplicas > 5", resource: "deployments.apps", ...web },
        atMost: "5m",
      },
    });
    expect(advance).toMatchObject({ advance: { reached: false, movedMs: 300_000 } });
    expect(cluster.clock.nowMs()).toBe(before + 300_000);
    await expect(
      outside.call({ method: "POST", path: "/apis/kintsugi.dev/v1alpha1/clock", body: { advance: "soon" } }),
    ).rejects.toThrow(/advance: .*is not a duration/);
    await outside.close();
  }, 120_000);

  test("in real time has no clock to advance, and reports this", async () => {
    await using cluster = await startCluster({ nodes: 0, clock: "real" });
    await expect(cluster.clock.advance("1m")).rejects.toThrow(/runs on real time/);
    const asked = { method: "POST", path: "/apis/kintsugi.dev/v1alpha1/clock", body: { advance: "1m" } } as const;
    await expect(cluster.client.call(asked)).rejects.toThrow(/--clock steered/);
  }, 60_000);

  test("simulates a CronJob's month", async () => {
    await using cluster = await startCluster({ nodes: 1 });
    const container = { name: "c", image: "busybox", command: ["sh", "-c", "sleep 5; echo done"] };
    const template = { spec: { restartPolicy: "Never" as const, containers: [container] } };
    await cluster.client.create(cronJobs, {
      metadata: { namespace: "default", name: "nightly" },
      spec: { schedule: "0 3 * * *", jobTemplate: { spec: { template } }, successfulJobsHistoryLimit: 40 },
    });
    const report = await cluster.clock.advance("720h");
    expect(report.settled).toBe(true);
    const { items } = await cluster.client.list(jobs);
    expect(items).toHaveLength(30);
    expect(items.every(({ status }) => status?.succeeded === 1)).toBe(true);
    const [node] = (await cluster.client.list(nodes)).items;
    expect(node?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  }, 120_000);

  test("loses a node, replaces its pods after their toleration, and restores the node by the handle", async () => {
    await using cluster = await startCluster({ nodes: 2 });
    await cluster.client.create(deployments, aDeployment("web", 4));
    await cluster.clock.advance("10s");
    const dead = await cluster.nodes.kill("node-1");
    await cluster.clock.advance("10m");
    const running = (await cluster.client.list(pods)).items.filter(({ metadata }) => !metadata.deletionTimestamp);
    expect(running.map(({ spec }) => spec?.nodeName)).toEqual(["node-2", "node-2", "node-2", "node-2"]);
    await dead.undo();
    await cluster.clock.advance("1m");
    const node = await cluster.client.get(nodes, { namespace: "", name: "node-1" });
    expect(node.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
    await expect(cluster.nodes.kill("node-9")).rejects.toThrow(/no target "node-9"; its targets are node-1, node-2/);
  }, 120_000);

  test("lets the probes of a pod fail until the fault is undone, and explains the pod in the meantime", async () => {
    await using cluster = await startCluster({ nodes: 2 });
    const { client, clock } = cluster;
    const probe = { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    const container = { name: "c", image: "example.com/server", readinessProbe: probe };
    await client.create(pods, { metadata: web, spec: { containers: [container] } });
    const isReady = async () =>
      (await client.get(pods, web)).status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
    await clock.advanceUntil(isReady, { atMost: "1m" });
    const failing = await cluster.faults.call("probes-fail", { with: { pod: "default/web", probe: "readiness" } });
    await clock.advance("10s");
    expect(await isReady()).toBe(false);
    const explanation = await cluster.explain("pod/web");
    expect(explanation.reasons.map(({ code }) => code)).toContain("ReadinessProbe");
    expect(explanation.text).toContain("a fault lets this probe fail");
    await failing.undo();
    await clock.advanceUntil(isReady, { atMost: "10s" });
    await expect(cluster.explain("pod/other")).rejects.toThrow(/there is no pod "other" in the namespace default/);
    await expect(cluster.faults.call("probes-fail", { with: { probe: "ready" } })).rejects.toThrow(
      /"ready" is not a kind of probe; the kinds are readiness, liveness, startup/,
    );
    await expect(cluster.faults.call("probes-fail", { with: { pod: "default/gone" } })).rejects.toThrow(
      /no target at the moment/,
    );
  }, 120_000);

  test("kills the API server: clients outside find their connections reset, until the handle undoes it", async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const access = loadKubeconfig(cluster.kubeconfig);
    const operator = createHttpClient(
      { clock: systemClock, random: systemRandom },
      { ...access, userAgent: "my-operator/1" },
    );
    const list = () => operator.list(configMaps, { namespace: "default" });
    await list();
    const killed = await cluster.faults.call("kill-service", { target: "api-server" });
    await expect(list()).rejects.toThrow(/ECONNRESET/);
    await killed.undo();
    await vi.waitFor(list, { timeout: 10_000 });
    await operator.close();
  }, 120_000);

  test("rejects a quarter of one client's writes, the same writes for the same seed", async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const access = loadKubeconfig(cluster.kubeconfig);
    const deps = { clock: systemClock, random: systemRandom };
    const operator = createHttpClient(deps, { ...access, userAgent: "my-operator/1" });
    const round = async (name: string) => {
      await using _fault = await cluster.faults.call("api-refuses", {
        with: { userAgent: "my-operator", verb: "write", share: 0.25, code: 500 },
        seed: 7,
      });
      const fates: boolean[] = [];
      for (let index = 0; index < 20; index++)
        fates.push(
          await operator.create(configMaps, { metadata: { namespace: "default", name: `${name}-${index}` } }).then(
            () => true,
            () => false,
          ),
        );
      return fates;
    };
    const first = await round("a");
    expect(first.filter((isDone) => !isDone).length).toBeGreaterThan(1);
    expect(await round("b")).toEqual(first);
    await cluster.client.create(configMaps, { metadata: { namespace: "default", name: "others-are-served" } });
    await operator.close();
  }, 120_000);

  test("returns to a mark with 2,000 objects while a client watches", async () => {
    await using cluster = await startCluster({ nodes: 1 });
    const { client } = cluster;
    const named = (name: string, data: Record<string, string>) => ({ metadata: { namespace: "default", name }, data });
    for (let index = 0; index < 1000; index++) await client.create(configMaps, named(`kept-${index}`, { a: "1" }));
    const start = cluster.mark();
    for (let index = 0; index < 1000; index++) {
      await client.create(configMaps, named(`new-${index}`, {}));
      await client.patch(
        configMaps,
        { namespace: "default", name: `kept-${index}` },
        { type: "merge", body: { data: { a: "2" } } },
      );
    }
    const report = await cluster.reset(start);
    expect(report).toMatchObject({ restored: 1000, removed: 1000 });
    const { items } = await client.list(configMaps, { namespace: "default" });
    expect(items.filter(({ metadata }) => metadata.name?.startsWith("new-"))).toEqual([]);
    expect(items.filter(({ data }) => data?.["a"] === "1")).toHaveLength(1000);
    await client.create(deployments, aDeployment("web", 1));
    await cluster.clock.advance("10s");
    expect((await client.get(deployments, web)).status?.availableReplicas).toBe(1);
    await using other = await startCluster({ nodes: 0 });
    await expect(other.reset(start)).rejects.toThrow(/belongs to another cluster/);
  }, 120_000);
});
