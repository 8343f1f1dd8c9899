import type { Endpoints, Pod, Service } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aServedPod, aService } from "../../shared/service-endpoints/testing/service-world.ts";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { endpointsController } from "./controller.ts";

async function aCluster(service: Service | undefined, ...pods: Pod[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  if (service) cluster.put("services", service);
  for (const pod of pods) cluster.put("pods", pod);
  await start(cluster);
  return cluster;
}

async function start(cluster: ControllerTestCluster): Promise<void> {
  await cluster.start(endpointsController);
  await cluster.clock.settle();
}

const byHand: Endpoints = {
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "outside", namespace: "default", uid: "by-hand" },
  subsets: [{ addresses: [{ ip: "192.0.2.1" }], ports: [{ port: 5432, protocol: "TCP" }] }],
};
const found = (cluster: ControllerTestCluster, name = "web") => cluster.find<Endpoints>("endpoints", name);
const ready = (cluster: ControllerTestCluster) =>
  (found(cluster)?.subsets ?? []).flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
const writes = (cluster: ControllerTestCluster) => cluster.paths.filter((path) => /^(POST|PUT|DELETE)/.test(path));

test("a Service has Endpoints that follow its pods and are removed with it", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"), aServedPod("p2", { ready: false }));
  expect(ready(cluster)).toEqual(["10.0.0.1"]);
  cluster.put("pods", aServedPod("p2"));
  await cluster.clock.settle();
  expect(ready(cluster)).toEqual(["10.0.0.1", "10.0.0.2"]);
  cluster.remove("pods", aServedPod("p1"));
  await cluster.clock.settle();
  expect(ready(cluster)).toEqual(["10.0.0.2"]);
  const before = writes(cluster).length;
  cluster.put("pods", aServedPod("p2", { restarts: 2 }));
  await cluster.clock.advance(5000);
  expect(writes(cluster)).toHaveLength(before);
  cluster.remove("services", aService());
  await cluster.clock.settle();
  expect(found(cluster)).toBeUndefined();
  await cluster.stop();
});

test("deleted Endpoints are created again, and Endpoints of a Service without selector are ignored", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  cluster.remove("endpoints", found(cluster)!);
  await cluster.clock.settle();
  expect(ready(cluster)).toEqual(["10.0.0.1"]);
  cluster.put("endpoints", byHand);
  await cluster.clock.advance(5000);
  cluster.put("services", aService({ selector: {} }, { name: "outside", uid: "outside" }));
  await cluster.clock.advance(5000);
  expect(found(cluster, "outside")?.subsets).toEqual(byHand.subsets);
  await cluster.stop();
});

test("Endpoints whose Service was removed while no process ran are removed at the next start", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  await cluster.kill();
  cluster.remove("services", aService());
  await start(cluster);
  expect(found(cluster)).toBeUndefined();
  await cluster.stop();
});

test("a failed write is reported and retried", async () => {
  const cluster = await aCluster(undefined, aServedPod("p1"));
  let refusals = 1;
  cluster.interfere = ({ method }) => (method === "POST" && refusals-- > 0 ? "refuse" : "pass");
  cluster.put("services", aService());
  await cluster.clock.advance(100);
  expect(ready(cluster)).toEqual(["10.0.0.1"]);
  expect(cluster.reasons()).toEqual([
    expect.stringMatching(/^FailedToCreateEndpoint: Failed to create endpoint for service default\/web: /),
  ]);
  await cluster.stop();
});

test("a creation whose response is lost is found, and later changes are written", async () => {
  const cluster = await aCluster(undefined, aServedPod("p1"));
  let losses = 1;
  cluster.interfere = ({ method }) => (method === "POST" && losses-- > 0 ? "lose answer" : "pass");
  cluster.put("services", aService());
  cluster.put("pods", aServedPod("p2"));
  await cluster.clock.advance(1000);
  expect(ready(cluster)).toEqual(["10.0.0.1", "10.0.0.2"]);
  await cluster.stop();
});

test("a pod that is Ready again before the cache shows that it was unready is still written as Ready", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  cluster.interfere = ({ path }) => (path.includes("/endpoints") && path.includes("watch=true") ? "hang" : "pass");
  cluster.api.endWatches();
  await cluster.clock.advance(2000);
  cluster.put("pods", aServedPod("p1", { ready: false }));
  await cluster.clock.advance(2000);
  expect(ready(cluster)).toEqual([]);
  cluster.put("pods", aServedPod("p1"));
  await cluster.clock.advance(2000);
  expect(ready(cluster)).toEqual([]);
  cluster.interfere = () => "pass";
  cluster.api.endWatches();
  await cluster.clock.advance(60_000);
  expect(ready(cluster)).toEqual(["10.0.0.1"]);
  await cluster.stop();
});
