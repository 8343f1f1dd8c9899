import { csiNodes, pods } from "@kintsugi/api";
import { uniqueVolumeName } from "@kintsugi/csi";
import { expect, test } from "vitest";
import { CsiNode } from "../../../testing/csi-node.ts";

test("a driver's socket registers it in CSINode and the Node's labels, with a response to the driver", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  const zoneLabel = `topology.${node.cloud.driverName}/zone`;
  const { spec, metadata } = await node.client.get(csiNodes, { namespace: "", name: "node-1" });
  expect(spec.drivers).toEqual([
    { name: node.cloud.driverName, nodeID: "id-of-node-1", topologyKeys: [zoneLabel], allocatable: { count: 64 } },
  ]);
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-1" }]);
  expect((await node.ownNode()).metadata.labels).toMatchObject({ [zoneLabel]: "z" });
  expect(node.statuses).toEqual([{ pluginRegistered: true, error: "" }]);
  node.sockets = [];
  await node.clock.advance(60_000);
  expect((await node.client.get(csiNodes, { namespace: "", name: "node-1" })).spec.drivers).toEqual([]);
});

test("a driver of another version receives an error", async () => {
  await using node = new CsiNode();
  node.supportedVersions = ["0.3.0"];
  await node.startWithClaim();
  expect(node.statuses[0]).toEqual({
    pluginRegistered: false,
    error: "none of the versions specified 0.3.0 are supported",
  });
});

test("a volume is reported as in use, awaited, staged and published, and then every step is undone", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p");
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
  expect(node.calls).toEqual([]);
  await node.attach();
  expect(node.calls).toEqual(["stage", "publish"]);
  expect(await node.running()).toEqual(["p/c#0"]);
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
  expect((await node.ownNode()).status?.volumesInUse ?? []).toEqual([]);
  expect([...node.mounts.points.keys()]).toEqual([]);
});

test("a claim that is used read-only is published read-only", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p", { readOnly: true });
  await node.attach();
  expect(node.calls).toEqual(["stage", "publish read-only"]);
});

test("the first pod that ends leaves the volume to the other pod", async () => {
  await using node = new CsiNode();
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.runPod("q");
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.clock.advance(60_000);
  expect(node.calls).toEqual(["stage", "publish", "stage", "publish", "unpublish"]);
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
});

test("a pod waits while no driver has the volume's name", async () => {
  await using node = new CsiNode();
  node.sockets = [];
  await node.startWithClaim();
  await node.runPod("p");
  expect(await node.running()).toEqual([]);
  expect(await node.events()).toContainEqual(
    expect.stringContaining(`driver name ${node.cloud.driverName} not found in the list of registered CSI drivers`),
  );
  node.sockets = [{ path: "/reg.sock", identity: "1" }];
  await node.clock.advance(60_000);
  await node.attach();
  await node.clock.advance(30_000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

/** Advances time and returns the sets of containers that ran, each once, in order. */
async function whoRan(node: CsiNode, seconds: number): Promise<string[]> {
  const sets: string[] = [];
  for (let step = 0; step < seconds * 10; step++) {
    await node.clock.advance(100);
    const set = (await node.running()).join(" and ");
    if (sets.at(-1) !== set) sets.push(set);
  }
  return sets;
}

/** A node whose runtime takes `stopMs` to stop a container. */
function nodeThatStopsIn(stopMs: number): CsiNode {
  const before = (call: { name: string }) => (call.name === "stopContainer" ? node.clock.sleep(stopMs) : undefined);
  const node: CsiNode = new CsiNode({ before });
  return node;
}

test.each(["with its driver", "alone"])(
  "a pod that was removed while its kubelet was down, %s, is stopped before another pod writes to its volume",
  async (how) => {
    await using node = nodeThatStopsIn(5_000);
    await node.startWithClaim();
    await node.runPod("p");
    await node.attach();
    node.kill();
    const { sockets } = node;
    if (how === "with its driver") node.sockets = [];
    await node.clock.advance(5_000);
    await node.client.delete(pods, { namespace: "default", name: "p" });
    await node.bindPod("q");
    await node.start();
    node.sockets = sockets;
    expect(await whoRan(node, 120)).toEqual(["p/c#0", "", "q/c#0"]);
    expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage", "stage", "publish"]);
  },
);

test("a pod that is removed by force is stopped before another pod writes to its volume", async () => {
  await using node = nodeThatStopsIn(5_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.bindPod("q");
  expect(await whoRan(node, 60)).toEqual(["p/c#0", "", "q/c#0"]);
});

test("a pod that does not stop for its removal keeps its volume, and the other pod has an event", async () => {
  await using node = nodeThatStopsIn(100_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.runPod("q");
  await node.clock.advance(60_000);
  expect(await node.running()).toEqual(["p/c#0"]);
  expect(await node.events()).toContainEqual(
    expect.stringMatching(/^FailedMount: .* is still in use by pod .*, which is deleted and has not stopped/),
  );
});

test("the volumes of a running pod are not changed until its containers have stopped", async () => {
  await using node = nodeThatStopsIn(100_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  node.kill();
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.start();
  await node.clock.advance(90_000);
  expect(node.calls).toEqual(["stage", "publish"]);
  expect((await node.ownNode()).status?.volumesInUse).toEqual([uniqueVolumeName(node.source)]);
  await node.clock.advance(100_000);
  expect(node.calls).toEqual(["stage", "publish", "unpublish", "unstage"]);
});

test("a pod that survives the loss of its kubelet's records is stopped before another pod writes", async () => {
  await using node = nodeThatStopsIn(5_000);
  await node.startWithClaim();
  await node.runPod("p");
  await node.attach();
  node.kill();
  await node.files.remove("/kubelet");
  await node.client.delete(pods, { namespace: "default", name: "p" });
  await node.bindPod("q");
  await node.start();
  expect(await whoRan(node, 60)).toEqual(["p/c#0", "", "q/c#0"]);
});
