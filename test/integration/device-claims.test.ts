import {
  type DeviceClass,
  deviceClasses,
  type Device,
  findCondition,
  nodes,
  pods,
  type ResourceClaim,
  resourceClaims,
  type ResourceSlice,
  resourceSlices,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import { startSchedulerCluster } from "./scheduler-cluster.ts";

const second = 1000;
const driver = "gpu.example.com";

type Cluster = Awaited<ReturnType<typeof startSchedulerCluster>>;

const aClass = (name: string, expression: string): DeviceClass => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "DeviceClass",
  metadata: { name },
  spec: { selectors: [{ cel: { expression } }] },
});

function aSlice(nodeName: string, devices: readonly Device[]): ResourceSlice {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name: `${nodeName}-slice` },
    spec: { driver, nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 }, devices: [...devices] },
  };
}

const gpus = (...models: string[]): Device[] =>
  models.map((model, index) => ({ name: `gpu-${index}`, attributes: { model: { string: model } } }));

function aClaim(name: string, exactly: object = {}): ResourceClaim {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu", ...exactly } }] } },
  } as ResourceClaim;
}

async function withDevices(cluster: Cluster, devices: Readonly<Record<string, readonly Device[]>>): Promise<void> {
  await cluster.client.create(deviceClasses, aClass("gpu", `device.driver == "${driver}"`));
  for (const [nodeName, list] of Object.entries(devices)) {
    await cluster.addNode(nodeName);
    await cluster.client.create(resourceSlices, aSlice(nodeName, list));
  }
}

const using = (...claims: string[]) => ({
  resourceClaims: claims.map((claim, index) => ({ name: `c${index}`, resourceClaimName: claim })),
});

const claimOf = (cluster: Cluster, name: string) => cluster.client.get(resourceClaims, { namespace: "default", name });

async function devicesOf(cluster: Cluster, name: string): Promise<string[]> {
  const { status } = await claimOf(cluster, name);
  return (status?.allocation?.devices?.results ?? []).map(({ pool, device }) => `${pool}/${device}`);
}

async function messageOf(cluster: Cluster, pod: string): Promise<string | undefined> {
  return findCondition((await cluster.pod(pod)).status?.conditions, "PodScheduled")?.message;
}

test("a pod is bound where its device is, once the claim is allocated and reserved for the pod", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("old"), "node-2": gpus("old", "new") });
  const expression = `device.attributes["${driver}"].model == "new"`;
  await cluster.client.create(resourceClaims, aClaim("one", { selectors: [{ cel: { expression } }] }));
  const { metadata } = await cluster.addPod("web", {}, using("one"));
  await cluster.clock.advance(second);
  expect(await cluster.nodeOf("web")).toBe("node-2");
  const claim = await claimOf(cluster, "one");
  expect(claim.metadata.finalizers).toEqual(["resource.kubernetes.io/delete-protection"]);
  expect(claim.status).toEqual({
    allocation: {
      devices: { results: [{ request: "gpu", driver, pool: "node-2", device: "gpu-1" }] },
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-2"] }] }],
      },
    },
    reservedFor: [{ resource: "pods", name: "web", uid: metadata.uid }],
  });
});

test("concurrent pods never get the same device, and a pod without a device waits until one is free", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("a", "b"), "node-2": gpus("a") });
  for (let i = 0; i < 4; i++) {
    await cluster.client.create(resourceClaims, aClaim(`claim-${i}`));
    await cluster.addPod(`web-${i}`, {}, using(`claim-${i}`));
  }
  await cluster.clock.advance(2 * second);
  const taken = (await Promise.all([0, 1, 2].map((i) => devicesOf(cluster, `claim-${i}`)))).flat();
  expect(taken.toSorted()).toEqual(["node-1/gpu-0", "node-1/gpu-1", "node-2/gpu-0"]);
  expect(await messageOf(cluster, "web-3")).toBe(
    "0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  );
  await cluster.removePod("web-0");
  const freed = await claimOf(cluster, "claim-0");
  await cluster.client.update(resourceClaims, { ...freed, status: {} }, { subresource: "status" });
  await cluster.clock.advance(5 * second);
  expect(await devicesOf(cluster, "claim-3")).toHaveLength(1);
  expect(await cluster.nodeOf("web-3")).toBeDefined();
});

test("a pod whose claim does not exist is not tried until the claim exists", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("a") });
  await cluster.addPod("web", {}, using("late"));
  await cluster.clock.advance(5 * second);
  expect([await cluster.nodeOf("web"), await cluster.eventsOf("web")]).toEqual([undefined, []]);
  await cluster.client.create(resourceClaims, aClaim("late"));
  await cluster.clock.advance(second);
  expect(await cluster.nodeOf("web")).toBe("node-1");
});

test("a claim from a template is found by the pod's status, and must be the pod's own", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("a") });
  const spec = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpus" }] };
  const { metadata } = await cluster.addPod("web", {}, spec);
  const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: metadata.uid ?? "", controller: true };
  const generated = aClaim("web-gpu-x");
  generated.metadata.ownerReferences = [owner];
  await cluster.client.create(resourceClaims, generated);
  await cluster.clock.advance(second);
  expect(await cluster.nodeOf("web")).toBeUndefined();
  const status = { resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu-x" }] };
  const key = { namespace: "default", name: "web" };
  await cluster.client.patch(pods, key, { type: "merge", body: { status } }, { subresource: "status" });
  await cluster.clock.advance(second);
  expect(await cluster.nodeOf("web")).toBe("node-1");
});

test("pods that share a claim run where its devices are", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": [], "node-2": gpus("a") });
  await cluster.client.create(resourceClaims, aClaim("shared"));
  for (let i = 0; i < 5; i++) await cluster.addPod(`web-${i}`, {}, using("shared"));
  await cluster.clock.advance(20 * second);
  expect(await cluster.podsPerNode()).toEqual({ "node-2": 5 });
  expect((await claimOf(cluster, "shared")).status?.reservedFor).toHaveLength(5);
});

test("devices that no pod uses are deallocated from a claim whose pod cannot run there", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("a"), "node-2": gpus("a") });
  const created = await cluster.client.create(resourceClaims, aClaim("one"));
  const onNode = (name: string) => ({
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In" as const, values: [name] }] }],
  });
  const results = [{ request: "gpu", driver, pool: "node-1", device: "gpu-0" }];
  const allocation = { devices: { results }, nodeSelector: onNode("node-1") };
  await cluster.client.update(resourceClaims, { ...created, status: { allocation } }, { subresource: "status" });
  await cluster.addPod("web", {}, { ...using("one"), nodeSelector: { "kubernetes.io/hostname": "node-2" } });
  const labels = { "kubernetes.io/hostname": "node-2" };
  await cluster.client.patch(
    nodes,
    { namespace: "", name: "node-2" },
    { type: "merge", body: { metadata: { labels } } },
  );
  await cluster.clock.advance(20 * second);
  expect([await cluster.nodeOf("web"), await devicesOf(cluster, "one")]).toEqual(["node-2", ["node-2/gpu-0"]]);
});

test("a lost response leads neither to a second allocation nor to a pod that waits forever", async () => {
  let lost = 0;
  await using cluster = await startSchedulerCluster({
    intercept: async (request, forward) => {
      const isWrite = request.method === "PUT" && request.path.includes("/resourceclaims/");
      if (!isWrite || lost >= 6) return forward(request);
      // Every second request does not reach the server either.
      if (++lost % 2 === 0) await forward(request);
      throw new Error("the answer is lost");
    },
  });
  await withDevices(cluster, { "node-1": gpus("a", "b") });
  for (const name of ["one", "two"]) {
    await cluster.client.create(resourceClaims, aClaim(name));
    await cluster.addPod(name, {}, using(name));
  }
  await cluster.clock.advance(60 * second);
  expect(lost).toBe(6);
  expect([await cluster.nodeOf("one"), await cluster.nodeOf("two")]).toEqual(["node-1", "node-1"]);
  const taken = [...(await devicesOf(cluster, "one")), ...(await devicesOf(cluster, "two"))];
  expect(taken.toSorted()).toEqual(["node-1/gpu-0", "node-1/gpu-1"]);
});

test("a claim that names a missing class, or a device without the attribute, reports it", async () => {
  await using cluster = await startSchedulerCluster();
  await withDevices(cluster, { "node-1": gpus("a") });
  await cluster.client.create(resourceClaims, aClaim("classless", { deviceClassName: "none" }));
  await cluster.addPod("classless", {}, using("classless"));
  const expression = `device.attributes["${driver}"].size > 3`;
  await cluster.client.create(resourceClaims, aClaim("wrong", { selectors: [{ cel: { expression } }] }));
  await cluster.addPod("wrong", {}, using("wrong"));
  await cluster.clock.advance(second);
  expect(await messageOf(cluster, "classless")).toMatch(/request gpu: device class none does not exist/);
  expect(await messageOf(cluster, "wrong")).toMatch(
    /claim default\/wrong: selector #0 on device gpu.example.com\/node-1\/gpu-0: CEL runtime error: no such key: size/,
  );
  await cluster.client.create(deviceClasses, aClass("none", "true"));
  await cluster.clock.advance(5 * second);
  expect(await cluster.nodeOf("classless")).toBe("node-1");
});

test("a scheduler without the feature leaves pods with claims waiting, and reports it", async () => {
  await using cluster = await startSchedulerCluster({ devices: false });
  await withDevices(cluster, { "node-1": gpus("a") });
  await cluster.client.create(resourceClaims, aClaim("one"));
  await cluster.addPod("web", {}, using("one"));
  await cluster.addPod("plain");
  await cluster.clock.advance(second);
  expect(await cluster.nodeOf("plain")).toBe("node-1");
  expect(await messageOf(cluster, "web")).toMatch(/devices of resourceclaim "c0" are not allocated by this scheduler/);
});

test("selectors that exceed a decision's cost continue in the next decision, and other pods are placed in the meantime", async () => {
  await using cluster = await startSchedulerCluster();
  const models = Array.from({ length: 16 }, (_, index) => `m${index}`);
  await withDevices(cluster, {
    "node-1": gpus(...models),
    "node-2": gpus(...models),
    "node-3": gpus(...models),
    "node-4": gpus(...models, "wanted"),
  });
  const many = `[${Array.from({ length: 1000 }, () => 1).join(",")}]`;
  const expression = `${many}.all(x, x == 1) && device.attributes["${driver}"].model == "wanted"`;
  await cluster.client.create(resourceClaims, aClaim("costly", { selectors: [{ cel: { expression } }] }));
  await cluster.addPod("costly", {}, using("costly"));
  await cluster.clock.advance(1 * second);
  expect(await messageOf(cluster, "costly")).toMatch(/cost too much together, use fewer or simpler selectors/);
  await cluster.addPod("simple");
  await cluster.clock.advance(1 * second);
  expect((await cluster.pod("simple")).spec?.nodeName).toBeDefined();
  await cluster.clock.advance(30 * second);
  expect((await cluster.pod("costly")).spec?.nodeName).toBe("node-4");
});
