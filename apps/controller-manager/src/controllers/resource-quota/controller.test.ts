import { formatTimestamp, type Pod, type ResourceQuota } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { resourceQuotaController } from "./controller.ts";

const minute = 60_000;

function aQuota(hard: Record<string, string>, more: ResourceQuota["spec"] = {}): ResourceQuota {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q", namespace: "default", uid: "uid-of-q" },
    spec: { hard, ...more },
  };
}

const withCpu = (name: string, cpu: string): Pod => {
  const pod = aPod(name);
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
  return { ...pod, spec: { ...pod.spec, containers } };
};

async function startWith(quota: ResourceQuota, ...pods: Pod[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("resourcequotas", quota);
  for (const pod of pods) cluster.put("pods", pod);
  await cluster.start(resourceQuotaController);
  await cluster.clock.advance(1000);
  return cluster;
}

const statusOf = (cluster: ControllerTestCluster) => cluster.find<ResourceQuota>("resourcequotas", "q")?.status;
const writes = (cluster: ControllerTestCluster) => cluster.paths.filter((path) => path.startsWith("PUT")).length;

test("a quota's status has its limits and its namespace's usage, and follows changes of both", async () => {
  const cluster = await startWith(aQuota({ pods: "4", "requests.cpu": "2" }), withCpu("a", "500m"), withCpu("b", "1"));
  cluster.put("pods", { ...withCpu("c", "1"), metadata: { name: "c", namespace: "other" } });
  expect(statusOf(cluster)).toEqual({
    hard: { pods: "4", "requests.cpu": "2" },
    used: { pods: "2", "requests.cpu": "1500m" },
  });
  cluster.remove("pods", withCpu("a", "500m"));
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "1", "requests.cpu": "1" });
  const quota = structuredClone(cluster.find<ResourceQuota>("resourcequotas", "q")!);
  quota.spec = { hard: { pods: "9", secrets: "1" } };
  cluster.put("resourcequotas", quota);
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)).toEqual({ hard: { pods: "9", secrets: "1" }, used: { pods: "1", secrets: "0" } });
  await cluster.stop();
});

test("a finished pod releases its usage, although it is still stored", async () => {
  const cluster = await startWith(aQuota({ pods: "4", "count/pods": "4" }), aPod("a"), aPod("b"));
  cluster.put("pods", aPod("a", { phase: "Succeeded" }));
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "1", "count/pods": "2" });
  await cluster.stop();
});

test("a pod stops counting at the end of its grace period, without an event", async () => {
  const cluster = await startWith(aQuota({ pods: "4" }), aPod("a"));
  const pod = aPod("a");
  const deletionTimestamp = formatTimestamp(cluster.clock.nowMs());
  cluster.put("pods", { ...pod, metadata: { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: 30 } });
  await cluster.clock.advance(29_000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "1" });
  await cluster.clock.advance(3000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "0" });
  await cluster.stop();
});

test("a dozen concurrent changes are counted once, and changes that do not affect usage are never counted", async () => {
  const cluster = await startWith(aQuota({ pods: "40" }));
  const before = writes(cluster);
  for (let i = 0; i < 12; i++) cluster.put("pods", aPod(`p${i}`));
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "12" });
  expect(writes(cluster)).toBe(before + 1);
  cluster.put("pods", aPod("p0", { ready: false }));
  await cluster.clock.advance(10 * minute);
  expect(writes(cluster)).toBe(before + 1);
  await cluster.stop();
});

test("a status that another client wrote is corrected", async () => {
  const cluster = await startWith(aQuota({ pods: "4" }), aPod("a"));
  const quota = structuredClone(cluster.find<ResourceQuota>("resourcequotas", "q")!);
  quota.status = { hard: { pods: "4" }, used: { pods: "0" } };
  cluster.put("resourcequotas", quota);
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "1" });
  await cluster.stop();
});

test("a scope selects the counted pods, and resources that are not served have no usage", async () => {
  const quota = aQuota(
    { pods: "4", "count/lamps.example.com": "3", "count/events": "1" },
    { scopes: ["NotBestEffort"] },
  );
  const cluster = await startWith(quota, withCpu("a", "1"), aPod("b"));
  expect(statusOf(cluster)?.used).toEqual({ pods: "1" });
  await cluster.stop();
});

test("a process that crashes at any write leaves a status that the next process corrects", async () => {
  const cluster = await startWith(aQuota({ pods: "4" }), aPod("a"));
  cluster.interfere = ({ method }) => (method === "PUT" ? "hang" : "pass");
  cluster.put("pods", aPod("b"));
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "1" });
  await cluster.kill();
  cluster.interfere = () => "pass";
  await cluster.start(resourceQuotaController);
  await cluster.clock.advance(1000);
  expect(statusOf(cluster)?.used).toEqual({ pods: "2" });
  await cluster.stop();
});
