import {
  type DeviceTaint,
  type DeviceToleration,
  findCondition,
  formatTimestamp,
  type Pod,
  type ResourceClaim,
  type ResourceSlice,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { deviceTaintEvictionController } from "./controller.ts";

const driver = "gpu.example.com";
const broken: DeviceTaint = { key: "example.com/broken", effect: "NoExecute" };
const tolerationFor = (tolerationSeconds?: number): DeviceToleration => ({
  key: broken.key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

function aSlice(cluster: ControllerTestCluster, taints: readonly DeviceTaint[] = [], generation = 1): ResourceSlice {
  const timeAdded = formatTimestamp(cluster.clock.nowMs());
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceSlice",
    metadata: { name: `slice-${generation}`, uid: `slice-${generation}` },
    spec: {
      driver,
      nodeName: "node-1",
      pool: { name: "node-1", generation, resourceSliceCount: 1 },
      devices: [{ name: "gpu-0", taints: taints.map((taint) => ({ timeAdded, ...taint })) }, { name: "gpu-1" }],
    },
  };
}

function aClaim(pod: Pod, device: string, tolerations: readonly DeviceToleration[] = []): ResourceClaim {
  const { name = "", uid = "" } = pod.metadata;
  const result = { request: "gpu", driver, pool: "node-1", device, tolerations: [...tolerations] };
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name: `of-${name}`, namespace: "default", uid: `claim-${name}` },
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: driver } }] } },
    status: { allocation: { devices: { results: [result] } }, reservedFor: [{ resource: "pods", name, uid }] },
  };
}

function aUser(name: string): Pod {
  const pod = aPod(name, { node: "node-1" });
  return { ...pod, spec: { ...pod.spec!, resourceClaims: [{ name: "gpu", resourceClaimName: `of-${name}` }] } };
}

/** The pods use the devices by name; "web" uses gpu-0. */
async function started(tolerations: readonly DeviceToleration[] = []) {
  const cluster = new ControllerTestCluster();
  for (const [name, device] of Object.entries({ web: "gpu-0", other: "gpu-1" })) {
    const pod = aUser(name);
    cluster.put("pods", pod);
    cluster.put("resourceclaims", aClaim(pod, device, device === "gpu-0" ? tolerations : []));
  }
  cluster.put("pods", aPod("without", { node: "node-1" }));
  cluster.put("resourceslices", aSlice(cluster));
  await cluster.start(deviceTaintEvictionController);
  await cluster.clock.advance(60_000);
  return cluster;
}

const goingIn = (cluster: ControllerTestCluster) =>
  cluster.pods().flatMap((pod) => (pod.metadata.deletionTimestamp === undefined ? [] : [pod.metadata.name]));

test("a pod is evicted from a device that its driver taints, with upstream's condition and event", async () => {
  const cluster = await started();
  expect(goingIn(cluster)).toEqual([]);
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.settle();
  expect(goingIn(cluster)).toEqual(["web"]);
  expect(findCondition(cluster.find<Pod>("pods", "web")?.status?.conditions, "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "DeletionByDeviceTaintManager",
    message: "Device Taint manager: deleting due to NoExecute taint",
  });
  expect(cluster.reasons()).toEqual(["DeviceTaintManagerEviction: Marking for deletion Pod default/web"]);
});

test.each<[string, readonly DeviceTaint[], readonly DeviceToleration[]]>([
  ["whose effect is NoSchedule", [{ ...broken, effect: "NoSchedule" }], []],
  ["that its request tolerates", [broken], [tolerationFor()]],
  ["with one unlimited toleration of several", [broken], [tolerationFor(5), tolerationFor()]],
])("a pod keeps a device with a taint %s", async (_, taints, tolerations) => {
  const cluster = await started(tolerations);
  cluster.put("resourceslices", aSlice(cluster, taints));
  await cluster.clock.advance(3_600_000);
  expect(goingIn(cluster)).toEqual([]);
});

test("a toleration is counted from the taint's time, even if the controller restarts in the meantime and wall time jumps", async () => {
  const cluster = await started([tolerationFor(300)]);
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.advance(100_000);
  await cluster.kill();
  await cluster.clock.advance(100_000);
  await cluster.start(deviceTaintEvictionController);
  cluster.clock.jumpWallTime(86_400_000);
  await cluster.clock.advance(99_000);
  expect(goingIn(cluster)).toEqual([]);
  await cluster.clock.advance(3_000);
  expect(goingIn(cluster)).toEqual(["web"]);
});

test("a taint that is removed in time, or that a newer generation of the pool lacks, does not evict the pod", async () => {
  const cluster = await started([tolerationFor(300)]);
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.advance(200_000);
  cluster.put("resourceslices", aSlice(cluster));
  await cluster.clock.advance(3_600_000);
  expect(goingIn(cluster)).toEqual([]);
  expect(cluster.reasons()).toEqual(["DeviceTaintManagerEviction: Cancelling deletion of Pod default/web"]);
  cluster.put("resourceslices", aSlice(cluster, [], 2));
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.advance(3_600_000);
  expect(goingIn(cluster)).toEqual([]);
});

test("another pod of the same name is not evicted", async () => {
  const cluster = await started();
  cluster.interfere = (request) => {
    if (request.method !== "DELETE") return "pass";
    cluster.interfere = () => "pass";
    cluster.put("pods", aPod("web", { node: "node-2", uid: "another" }));
    return "pass";
  };
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.advance(60_000);
  expect(cluster.find<Pod>("pods", "web")?.metadata).toMatchObject({ uid: "another" });
  expect(goingIn(cluster)).toEqual([]);
});

test.each([1, 2])("a process that crashes at its write %i leaves the eviction to the next process", async (nth) => {
  const cluster = await started();
  let writes = 0;
  cluster.interfere = ({ method, path }) =>
    method !== "GET" && !path.includes("/events") && ++writes === nth ? "never answer" : "pass";
  cluster.put("resourceslices", aSlice(cluster, [broken]));
  await cluster.clock.settle();
  await cluster.kill();
  cluster.interfere = () => "pass";
  await cluster.start(deviceTaintEvictionController);
  await cluster.clock.advance(1_000);
  expect(goingIn(cluster)).toEqual(["web"]);
});
