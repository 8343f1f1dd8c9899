import { pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { cdiId, NodeWithDevices, deviceDriverName, usingClaim } from "../../testing/device-node.ts";

const configOf = (node: NodeWithDevices) => {
  const [request] = (node.runtime.callsOf("createContainer").at(-1)?.args ?? []) as {
    config: { envs: object[]; mounts: object[]; cdiDevices: string[] };
  }[];
  if (request === undefined) throw new Error("a container was created");
  return request.config;
};

async function startedNode(): Promise<NodeWithDevices> {
  const node = new NodeWithDevices();
  await node.putSpec("a");
  await node.start();
  await node.clock.advance(2_000);
  return node;
}

test("a driver registers, prepares the claim before the containers start, and unprepares it after they end", async () => {
  await using node = await startedNode();
  expect(node.statuses).toEqual([{ pluginRegistered: true, error: "" }]);
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(await node.running()).toEqual(["p/c#0"]);
  expect(node.calls).toEqual(["prepare a"]);
  const config = configOf(node);
  expect(config.envs).toContainEqual({ key: "GPU", value: "a" });
  expect(config.mounts).toContainEqual(expect.objectContaining({ hostPath: "/lab/a", containerPath: "/dev/gpu" }));
  expect(config.cdiDevices).toEqual([]);
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual([]);
  expect(node.calls).toEqual(["prepare a", "unprepare a"]);
  expect(await node.files.list("/kubelet/device-claims")).toEqual([]);
});

test("a runtime that applies CDI gets the names of the devices and no edits", async () => {
  await using node = await startedNode();
  node.runtime.setCdi(true);
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(configOf(node).cdiDevices).toEqual([cdiId("a")]);
  expect(configOf(node).envs).not.toContainEqual(expect.objectContaining({ key: "GPU" }));
});

test("a container without the claim gets no devices of the claim", async () => {
  await using node = await startedNode();
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a", { resources: {} }));
  await node.clock.advance(2_000);
  expect(configOf(node).envs).not.toContainEqual(expect.objectContaining({ key: "GPU" }));
});

const failed = (because: string) =>
  `FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: ${because}`;

test.each<[string, (node: NodeWithDevices) => void, string]>([
  ["does not exist", () => {}, 'fetch ResourceClaim a: resourceclaims "a" not found'],
  [
    "belongs to another pod",
    (node) => node.createClaim("a", []),
    "pod p (uid-of-p) is not allowed to use ResourceClaim a (uid-of-a)",
  ],
  [
    "has no devices",
    (node) =>
      node.createClaim("a", [], { status: { reservedFor: [{ resource: "pods", name: "p", uid: "uid-of-p" }] } }),
    "ResourceClaim a: not allocated",
  ],
  [
    "has devices of a missing driver",
    (node) => {
      const result = { request: "gpu", driver: "other.example.com", pool: "x", device: "y" };
      const reservedFor = [{ resource: "pods", name: "p", uid: "uid-of-p" }];
      return node.createClaim("a", [], { status: { reservedFor, allocation: { devices: { results: [result] } } } });
    },
    "DRA driver other.example.com is not registered",
  ],
])("a pod waits with upstream's event while its claim %s, and it can be deleted", async (_name, prepare, because) => {
  await using node = await startedNode();
  prepare(node);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(expect.stringContaining(failed(because)));
  expect(node.calls).toEqual([]);
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(await node.findPod("p")).toBeUndefined();
});

test("a claim that was created for another pod is not used, and a missing claim is awaited", async () => {
  await using node = await startedNode();
  node.createClaim("a", ["p"]);
  const spec = { ...usingClaim("a"), resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] };
  await node.createPod("p", spec);
  await node.clock.advance(2_000);
  expect(await node.events()).toContainEqual(failed('pod "default/p": ResourceClaim not created yet'));
  const resourceClaimStatuses = [{ name: "gpu", resourceClaimName: "a" }];
  const current = await node.pod("p");
  await node.client.update(pods, { ...current, status: { ...current.status, resourceClaimStatuses } });
  await node.clock.advance(30_000);
  expect(await node.events()).toContainEqual(
    expect.stringContaining("was not created for pod default/p (pod is not owner)"),
  );
  expect(await node.running()).toEqual([]);
  // The kubelet's own status does not change the names of claims.
  expect((await node.pod("p")).status?.resourceClaimStatuses).toEqual(resourceClaimStatuses);
});

test("a pod whose driver registers later starts immediately after the registration", async () => {
  await using node = new NodeWithDevices();
  await node.putSpec("a");
  node.sockets = [];
  await node.start();
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(5_000);
  expect(await node.events()).toContainEqual(failed(`DRA driver ${deviceDriverName} is not registered`));
  node.sockets = [{ path: "/dra-reg.sock", identity: "1" }];
  await node.clock.advance(70_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("a driver's error causes an event, and the claim is prepared at a later attempt", async () => {
  await using node = await startedNode();
  node.prepare = async (claims) => new Map(claims.map((claim) => [claim.uid, { devices: [], error: "it is too hot" }]));
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(await node.events()).toContainEqual(failed("NodePrepareResources failed for ResourceClaim a: it is too hot"));
  node.prepare = async () => new Map();
  await node.clock.advance(20_000);
  expect(await node.events()).toContainEqual(expect.stringContaining("NodePrepareResources skipped 1 ResourceClaims"));
  node.prepare = undefined;
  await node.clock.advance(20_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("a kubelet that is killed while a driver prepares unprepares the claim once its pod no longer exists", async () => {
  await using node = await startedNode();
  node.prepare = () => new Promise(() => {});
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(node.calls).toEqual(["prepare a"]);
  node.kill();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  node.prepare = undefined;
  await node.start();
  await node.clock.advance(120_000);
  expect(node.calls).toEqual(["prepare a", "unprepare a"]);
  expect(await node.files.list("/kubelet/device-claims")).toEqual([]);
});

test("a kubelet that restarts restores its prepared claims, so the driver is not called again", async () => {
  await using node = await startedNode();
  node.createClaim("a", ["p"]);
  await node.createPod("p", usingClaim("a"));
  await node.clock.advance(2_000);
  await node.restart();
  const [container] = await node.runtime.listContainers({ state: "running" });
  node.runtime.exitContainer(container?.id ?? "", { exitCode: 1 });
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["p/c#1"]);
  expect(configOf(node).envs).toContainEqual({ key: "GPU", value: "a" });
  expect(node.calls).toEqual(["prepare a"]);
});

test("two pods share a claim, which is prepared once and unprepared after the second pod", async () => {
  await using node = await startedNode();
  node.createClaim("a", ["p", "q"]);
  await node.createPod("p", usingClaim("a"));
  await node.createPod("q", usingClaim("a"));
  await node.clock.advance(2_000);
  expect(await node.running()).toEqual(["p/c#0", "q/c#0"]);
  expect(node.calls).toEqual(["prepare a"]);
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["prepare a"]);
  await node.client.delete(pods, { namespace: "default", name: "q" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["prepare a", "unprepare a"]);
});

test("a pod is reported as ended only when its devices are unprepared", async () => {
  await using node = await startedNode();
  let isBusy = true;
  node.unprepare = async (claims) => new Map(claims.map((claim) => [claim.uid, { error: isBusy ? "still busy" : "" }]));
  node.createClaim("a", ["p"]);
  await node.createPod("p", { ...usingClaim("a"), restartPolicy: "Never" });
  await node.clock.advance(2_000);
  const [container] = await node.runtime.listContainers({ state: "running" });
  node.runtime.exitContainer(container?.id ?? "", { exitCode: 0 });
  await node.clock.advance(30_000);
  expect(node.calls).toContain("unprepare a");
  expect((await node.pod("p")).status?.phase).toBe("Running");
  isBusy = false;
  await node.clock.advance(30_000);
  expect((await node.pod("p")).status?.phase).toBe("Succeeded");
});

test("a device with a missing or broken specification is named in the container's error", async () => {
  await using node = await startedNode();
  await node.files.write("/run/cdi/broken.yaml", "kind: [");
  node.createClaim("b", ["p"]);
  await node.createPod("p", usingClaim("b"));
  await node.clock.advance(2_000);
  const waiting = (await node.pod("p")).status?.containerStatuses?.[0]?.state?.waiting;
  expect(waiting?.reason).toBe("CreateContainerConfigError");
  expect(waiting?.message).toMatch(
    /^unresolvable CDI devices gpu\.example\.com\/gpu=b \(\/run\/cdi\/broken\.yaml is not valid: /,
  );
});

test("a driver of another protocol is rejected in upstream's words", async () => {
  await using node = new NodeWithDevices();
  node.supportedVersions = ["v1alpha3.Node"];
  await node.start();
  await node.clock.advance(2_000);
  expect(node.statuses[0]?.pluginRegistered).toBe(false);
  expect(node.statuses[0]?.error).toContain("none of services supported by the plugin");
});

test("slices of this node are removed when the kubelet starts, and a driver's slices after an absence of 30 s", async () => {
  await using node = new NodeWithDevices();
  await node.createSlice("old");
  await node.createSlice("elsewhere", { node: "node-2" });
  await node.start();
  await node.clock.advance(2_000);
  expect(await node.slices()).toEqual(["elsewhere"]);
  await node.createSlice("own");
  await node.createSlice("of-another", { driver: "other.example.com" });
  node.isConnected = false;
  await node.clock.advance(20_000);
  node.isConnected = true;
  await node.clock.advance(30_000);
  expect(await node.slices()).toEqual(["elsewhere", "of-another", "own"]);
  node.isConnected = false;
  await node.clock.advance(45_000);
  expect(await node.slices()).toEqual(["elsewhere", "of-another"]);
});
