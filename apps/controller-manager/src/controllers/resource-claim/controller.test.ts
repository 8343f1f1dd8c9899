import { formatTimestamp, type Pod, type ResourceClaim, type ResourceClaimTemplate } from "@kintsugi/api";
import { deviceClaimFinalizer, podClaimNameAnnotation } from "@kintsugi/rules";
import { expect, test } from "vitest";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { claimNameBase, generatedClaimName } from "./claim-name.ts";
import { resourceClaimController } from "./controller.ts";

const claimSpec = { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] } };
const template: ResourceClaimTemplate = {
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaimTemplate",
  metadata: { name: "one-gpu", namespace: "default" },
  spec: { metadata: { labels: { tier: "gpu" }, annotations: { note: "kept" } }, spec: claimSpec },
};
const result = { request: "gpu", driver: "gpu.example.com", pool: "node-1", device: "gpu-0" };
const allocation = { devices: { results: [result] } };

function aUser(name: string, parts: { node?: string; claim?: string; status?: Partial<Pod["status"]> } = {}): Pod {
  const pod = aPod(name, parts.node === undefined ? {} : { node: parts.node });
  const source =
    parts.claim === undefined ? { resourceClaimTemplateName: "one-gpu" } : { resourceClaimName: parts.claim };
  return {
    ...pod,
    spec: { containers: [], ...pod.spec, resourceClaims: [{ name: "gpu", ...source }] },
    status: { ...pod.status, ...parts.status },
  };
}

const consumerOf = ({ metadata }: Pod) => ({ resource: "pods", name: metadata.name ?? "", uid: metadata.uid ?? "" });

function aClaim(
  name: string,
  parts: { reservedFor?: Pod[]; metadata?: ResourceClaim["metadata"] } = {},
): ResourceClaim {
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default", uid: `uid-${name}`, finalizers: [deviceClaimFinalizer], ...parts.metadata },
    spec: claimSpec,
    status: {
      allocation,
      ...(parts.reservedFor === undefined ? {} : { reservedFor: parts.reservedFor.map(consumerOf) }),
    },
  };
}

const claimsOf = (cluster: ControllerTestCluster) => cluster.api.log.list("resourceclaims") as ResourceClaim[];
const claimOf = (cluster: ControllerTestCluster, name: string) => cluster.find<ResourceClaim>("resourceclaims", name);

async function started(...objects: readonly (readonly [string, Pod | ResourceClaim | ResourceClaimTemplate])[]) {
  const cluster = new ControllerTestCluster();
  for (const [resource, object] of objects) cluster.put(resource, object);
  await cluster.start(resourceClaimController);
  return cluster;
}

test("a pod gets a claim of its template, and its status names it", async () => {
  const pod = aUser("web");
  const cluster = await started(["pods", pod], ["resourceclaimtemplates", template]);
  const [claim, ...others] = claimsOf(cluster);
  expect(others).toEqual([]);
  expect(claim?.metadata).toMatchObject({
    name: expect.stringMatching(/^web-gpu-[a-z0-9]{5}$/),
    generateName: "web-gpu-",
    labels: { tier: "gpu" },
    annotations: { note: "kept", [podClaimNameAnnotation]: "gpu" },
    ownerReferences: [{ kind: "Pod", name: "web", uid: pod.metadata.uid, controller: true, blockOwnerDeletion: true }],
  });
  expect(claim?.spec).toEqual(claimSpec);
  expect(cluster.find<Pod>("pods", "web")?.status?.resourceClaimStatuses).toEqual([
    { name: "gpu", resourceClaimName: claim?.metadata.name },
  ]);
});

test("a missing template causes an event, and the claim is created with the template", async () => {
  const cluster = await started(["pods", aUser("web")]);
  expect(cluster.reasons()).toEqual([
    'FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found',
  ]);
  expect([...cluster.eventSources]).toEqual(["resource_claim"]);
  cluster.put("resourceclaimtemplates", template);
  await cluster.clock.settle();
  expect(claimsOf(cluster)).toHaveLength(1);
});

test.each([1, 2, 3])(
  "a process that ends at its write %i leaves one claim, and the next process names it",
  async (nth) => {
    const cluster = await started(["resourceclaimtemplates", template]);
    let writes = 0;
    cluster.interfere = ({ method }) => (method !== "GET" && ++writes === nth ? "never answer" : "pass");
    cluster.put("pods", aUser("web"));
    await cluster.clock.settle();
    await cluster.kill();
    cluster.interfere = () => "pass";
    await cluster.start(resourceClaimController);
    await cluster.clock.advance(1_000);
    expect(claimsOf(cluster)).toHaveLength(1);
    expect(cluster.find<Pod>("pods", "web")?.status?.resourceClaimStatuses).toHaveLength(1);
  },
);

test("a claim whose creation got no response is not created twice", async () => {
  const cluster = await started(["resourceclaimtemplates", template]);
  let isFirst = true;
  cluster.interfere = ({ method }) => {
    const loses = method === "POST" && isFirst;
    if (loses) isFirst = false;
    return loses ? "lose answer" : "pass";
  };
  cluster.put("pods", aUser("web"));
  await cluster.clock.advance(120_000);
  expect(claimsOf(cluster)).toHaveLength(1);
  expect(cluster.find<Pod>("pods", "web")?.status?.resourceClaimStatuses).toHaveLength(1);
});

test("a foreign claim of the name is not changed, and the pod's claim gets another name", async () => {
  const pod = aUser("web");
  const foreign = aClaim(generatedClaimName(pod, "gpu", 0));
  const cluster = await started(["resourceclaimtemplates", template], ["resourceclaims", foreign], ["pods", pod]);
  await cluster.clock.settle();
  expect(claimsOf(cluster)).toHaveLength(2);
  expect(cluster.find<Pod>("pods", "web")?.status?.resourceClaimStatuses).toEqual([
    { name: "gpu", resourceClaimName: generatedClaimName(pod, "gpu", 1) },
  ]);
});

test("a claim that was deleted while its pod needs it is created again", async () => {
  const cluster = await started(["pods", aUser("web")], ["resourceclaimtemplates", template]);
  const [claim] = claimsOf(cluster);
  cluster.remove("resourceclaims", claim!);
  await cluster.clock.settle();
  expect(claimsOf(cluster)).toHaveLength(1);
});

test.each<[string, Partial<Pod>]>([
  ["ended", { status: { phase: "Succeeded" } }],
  ["is going", { metadata: { ...aPod("web").metadata, deletionTimestamp: formatTimestamp(0) } }],
])("a pod that %s gets no claim", async (_name, parts) => {
  const cluster = await started(["pods", { ...aUser("web"), ...parts }], ["resourceclaimtemplates", template]);
  expect(claimsOf(cluster)).toEqual([]);
});

test("a claim with devices is reserved for a pod that was bound without the scheduler", async () => {
  const pod = aUser("web", { node: "node-1", claim: "shared" });
  const cluster = await started(["pods", pod], ["resourceclaims", aClaim("shared")]);
  expect(claimOf(cluster, "shared")?.status?.reservedFor).toEqual([consumerOf(pod)]);
});

test("a claim without devices is left to the scheduler", async () => {
  const { status: _, ...claim } = aClaim("shared");
  const cluster = await started(["pods", aUser("web", { claim: "shared" })], ["resourceclaims", claim]);
  expect(claimOf(cluster, "shared")?.status?.reservedFor).toBeUndefined();
});

test("the last pod that ends releases the devices, and other pods keep them", async () => {
  const [first, second] = ["first", "second"].map((name) => aUser(name, { node: "node-1", claim: "shared" }));
  const cluster = await started(
    ["pods", first!],
    ["pods", second!],
    ["resourceclaims", aClaim("shared", { reservedFor: [first!, second!] })],
  );
  const failed: Pod = { ...first!, status: { phase: "Failed" } };
  cluster.put("pods", failed);
  await cluster.clock.settle();
  expect(claimOf(cluster, "shared")?.status).toEqual({ allocation, reservedFor: [consumerOf(second!)] });
  cluster.remove("pods", second!);
  await cluster.clock.settle();
  const { status, metadata } = claimOf(cluster, "shared")!;
  expect(status?.allocation).toBeUndefined();
  expect(status?.reservedFor ?? []).toEqual([]);
  expect(metadata.finalizers ?? []).toEqual([]);
});

test("an allocation that is not reserved yet is kept because the scheduler is between its writes", async () => {
  const cluster = await started(["resourceclaims", aClaim("shared")]);
  expect(claimOf(cluster, "shared")).toMatchObject({
    metadata: { finalizers: [deviceClaimFinalizer] },
    status: { allocation },
  });
});

test("a claim that is being deleted releases its devices and is removed, unless a pod uses it", async () => {
  const pod = aUser("web", { node: "node-1", claim: "used" });
  const metadata = (name: string) => ({
    ...aClaim(name).metadata,
    deletionTimestamp: formatTimestamp(0),
  });
  const cluster = await started(
    ["pods", pod],
    ["resourceclaims", aClaim("used", { metadata: metadata("used"), reservedFor: [pod] })],
    ["resourceclaims", aClaim("free", { metadata: metadata("free") })],
  );
  await cluster.clock.advance(1_000);
  expect(claimOf(cluster, "used")?.metadata.finalizers).toEqual([deviceClaimFinalizer]);
  expect(claimOf(cluster, "free")?.metadata.finalizers ?? []).toEqual([]);
});

test("a claim that was created for a pod is removed when the pod has ended, before the pod is removed", async () => {
  const pod = aUser("web");
  const cluster = await started(["pods", pod], ["resourceclaimtemplates", template]);
  expect(claimsOf(cluster)).toHaveLength(1);
  const current = cluster.find<Pod>("pods", "web")!;
  const ended: Pod = { ...current, status: { ...current.status, phase: "Succeeded" } };
  cluster.put("pods", ended);
  await cluster.clock.settle();
  expect(claimsOf(cluster)).toEqual([]);
});

test("a consumer whose pod was replaced by a pod of the same name is removed", async () => {
  const old = aUser("web", { node: "node-1", claim: "shared" });
  const young = { ...old, metadata: { ...old.metadata, uid: "another" } };
  const cluster = await started(["pods", young], ["resourceclaims", aClaim("shared", { reservedFor: [old, young] })]);
  expect(claimOf(cluster, "shared")?.status?.reservedFor).toEqual([consumerOf(young)]);
});

test("long names are shortened in proportion", () => {
  const base = claimNameBase("p".repeat(63), "entry".repeat(4));
  expect(base).toMatch(/^p+-(entry)*e?n?t?r?$/);
  expect(base.length).toBeLessThanOrEqual(57);
  const pod = aPod("p".repeat(63));
  expect(generatedClaimName(pod, "entry".repeat(4), 0).length).toBeLessThanOrEqual(63);
  expect(generatedClaimName(pod, "a", 0)).not.toBe(generatedClaimName(pod, "a", 1));
});
