import { type EndpointSlice, type Pod, type Service } from "@kintsugi/api";
import { expect, test } from "vitest";
import { aServedPod, aService } from "../../shared/service-endpoints/testing/service-world.ts";
import { aNode, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { endpointSliceController } from "./controller.ts";

async function aCluster(service: Service | undefined, ...pods: Pod[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("nodes", aNode("n1"));
  if (service) cluster.put("services", service);
  for (const pod of pods) cluster.put("pods", pod);
  await start(cluster);
  return cluster;
}

async function start(cluster: ControllerTestCluster): Promise<void> {
  await cluster.start(endpointSliceController);
  await cluster.clock.settle();
}

const slicesIn = (cluster: ControllerTestCluster) => cluster.api.log.list("endpointslices") as EndpointSlice[];
const said = (cluster: ControllerTestCluster) =>
  slicesIn(cluster).map(({ endpoints = [] }) =>
    Object.fromEntries(endpoints.map(({ targetRef, conditions }) => [targetRef?.name ?? "", conditions?.ready])),
  );
const writes = (cluster: ControllerTestCluster) => cluster.paths.filter((path) => /^(POST|PUT|DELETE)/.test(path));
const triggerTime = ({ metadata }: EndpointSlice) =>
  metadata.annotations?.["endpoints.kubernetes.io/last-change-trigger-time"];

test("a Service has slices that follow its pods", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"), aServedPod("p2", { ready: false }));
  expect(said(cluster)).toEqual([{ p1: true, p2: false }]);
  expect(slicesIn(cluster)[0]?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
  cluster.put("pods", aServedPod("p2"));
  await cluster.clock.settle();
  expect(said(cluster)).toEqual([{ p1: true, p2: true }]);
  cluster.put("pods", aServedPod("p1", { labels: { app: "else" } }));
  await cluster.clock.settle();
  expect(said(cluster)).toEqual([{ p2: true }]);
  cluster.remove("pods", aServedPod("p2"));
  await cluster.clock.settle();
  expect(said(cluster)).toEqual([{}]);
  expect(slicesIn(cluster)).toHaveLength(1);
  await cluster.stop();
});

test("nothing is written for changes that endpoints do not show, at a restart, or for this process's own writes", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  const before = writes(cluster).length;
  cluster.put("pods", aServedPod("p1", { restarts: 3, annotations: { seen: "yes" } }));
  await cluster.clock.advance(5000);
  await cluster.kill();
  await start(cluster);
  await cluster.clock.advance(5000);
  expect(writes(cluster)).toHaveLength(before);
  await cluster.stop();
});

test("a Service without a selector or of type ExternalName is ignored, with its slices", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  cluster.put("services", aService({ selector: {} }));
  cluster.put("pods", aServedPod("p1", { ready: false }));
  await cluster.clock.advance(5000);
  expect(said(cluster)).toEqual([{ p1: true }]);
  cluster.put("services", aService({ type: "ExternalName", externalName: "example.com" }));
  await cluster.clock.advance(5000);
  expect(said(cluster)).toEqual([{ p1: true }]);
  cluster.put("services", aService());
  await cluster.clock.settle();
  expect(said(cluster)).toEqual([{ p1: false }]);
  await cluster.stop();
});

test("another client's change of a slice is reverted after a second", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"));
  const [slice] = slicesIn(cluster);
  cluster.put("endpointslices", { ...slice, endpoints: [] } as never);
  await cluster.clock.advance(900);
  expect(said(cluster)).toEqual([{}]);
  await cluster.clock.advance(200);
  expect(said(cluster)).toEqual([{ p1: true }]);
  cluster.remove("endpointslices", slicesIn(cluster)[0]!);
  await cluster.clock.advance(1100);
  expect(said(cluster)).toEqual([{ p1: true }]);
  const relabelled = { ...slicesIn(cluster)[0]!.metadata.labels, "kubernetes.io/service-name": "other" };
  const [taken] = slicesIn(cluster);
  cluster.put("endpointslices", { ...taken, metadata: { ...taken!.metadata, labels: relabelled } } as never);
  await cluster.clock.advance(1100);
  expect(said(cluster)).toEqual([{ p1: true }, { p1: true }]);
  await cluster.stop();
});

test("a slice records the time of a change only when its content changes", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1", { readySinceMs: 1_767_225_700_000 }));
  expect(triggerTime(slicesIn(cluster)[0]!)).toBe("2026-01-01T00:00:00Z");
  cluster.put("pods", aServedPod("p1", { ready: false, readySinceMs: 1_767_225_790_000 }));
  await cluster.clock.settle();
  expect(triggerTime(slicesIn(cluster)[0]!)).toBe("2026-01-01T00:03:10Z");
  cluster.put("services", aService({}, { labels: { a: "b" } }));
  await cluster.clock.settle();
  expect(slicesIn(cluster)[0]?.metadata.labels).toHaveProperty("a", "b");
  expect(triggerTime(slicesIn(cluster)[0]!)).toBeUndefined();
  await cluster.stop();
});

test("a failed write is reported and retried after a second, and a lost response leaves no second slice", async () => {
  const cluster = await aCluster(undefined, aServedPod("p1"));
  let refusals = 2;
  cluster.interfere = ({ method }) => (method === "POST" && refusals-- > 0 ? "refuse" : "pass");
  cluster.put("services", aService());
  await cluster.clock.advance(100);
  expect(cluster.reasons()).toEqual([
    expect.stringMatching(
      /^FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default\/web: failed to create EndpointSlice for Service default\/web: /,
    ),
  ]);
  await cluster.clock.advance(3100);
  expect(said(cluster)).toEqual([{ p1: true }]);
  await cluster.stop();

  const other = await aCluster(undefined, aServedPod("p1"));
  let losses = 1;
  other.interfere = ({ method }) => (method === "POST" && losses-- > 0 ? "lose answer" : "pass");
  other.put("services", aService());
  await other.clock.advance(5000);
  expect(said(other)).toEqual([{ p1: true }]);
  await other.stop();
});

test("a pod on a missing node is reported, omitted, and added when the node exists", async () => {
  const cluster = await aCluster(aService(), aServedPod("p1"), aServedPod("p2", { node: "n2" }));
  expect(said(cluster)).toEqual([{ p1: true }]);
  expect(cluster.reasons()).toContain(
    "FailedToUpdateEndpointSlices: Error updating Endpoint Slices for Service default/web: skipping Pod p2 for Service default/web: Node n2 Not Found",
  );
  cluster.put("nodes", aNode("n2"));
  await cluster.clock.advance(4000);
  expect(said(cluster)).toEqual([{ p1: true, p2: true }]);
  await cluster.stop();
});

test("after a crash of the process at any write, the next process finishes with every endpoint in one slice", async () => {
  const pods = Array.from({ length: 250 }, (_, i) => aServedPod(`p${i}`, { ips: [`10.0.${i >> 7}.${(i & 127) + 1}`] }));
  for (let survived = 0; survived < 4; survived++) {
    const cluster = await aCluster(undefined, ...pods);
    let left = survived;
    cluster.interfere = ({ method }) => (method === "POST" && left-- <= 0 ? "never answer" : "pass");
    cluster.put("services", aService());
    await cluster.clock.settle();
    await cluster.kill();
    cluster.interfere = () => "pass";
    await start(cluster);
    await cluster.clock.advance(5000);
    const names = said(cluster).flatMap((slice) => Object.keys(slice));
    expect([names.length, new Set(names).size]).toEqual([250, 250]);
    expect(slicesIn(cluster).every(({ endpoints = [] }) => endpoints.length <= 100)).toBe(true);
    await cluster.stop();
  }
});

test("pod changes that follow each other closely are gathered into a single write", async () => {
  const cluster = new ControllerTestCluster({ endpointsliceUpdatesBatchPeriodMs: 500 });
  cluster.put("nodes", aNode("n1"));
  cluster.put("services", aService());
  await start(cluster);
  const before = writes(cluster).length;
  for (const name of ["p1", "p2", "p3"]) {
    cluster.put("pods", aServedPod(name));
    await cluster.clock.advance(100);
  }
  expect(said(cluster)).toEqual([{}]);
  await cluster.clock.advance(500);
  expect(said(cluster)).toEqual([{ p1: true, p2: true, p3: true }]);
  expect(writes(cluster)).toHaveLength(before + 1);
  await cluster.stop();
});
