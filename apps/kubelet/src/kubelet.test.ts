import { leases, nodes, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { TestNode } from "./testing/test-node.ts";

const second = 1000;
const minute = 60 * second;

test("a pod that is bound to the node runs, and its status reports it", async () => {
  await using node = new TestNode();
  await node.start();
  await node.createPod("web", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  await node.clock.advance(2 * second);
  const { status } = await node.pod("web");
  expect(status?.phase).toBe("Running");
  expect(status?.podIP).toMatch(/^10\.244\.0\.\d+$/);
  expect(status?.hostIP).toBe("192.168.0.11");
  expect(status?.containerStatuses).toMatchObject(
    [{ name: "c", ready: true, started: true, restartCount: 0, containerID: /^containerd:\/\// }].map((each) => ({
      ...each,
      containerID: expect.stringMatching(each.containerID) as string,
    })),
  );
  expect(status?.conditions?.map(({ type, status: value }) => `${type}=${value}`)).toEqual([
    "PodReadyToStartContainers=True",
    "Initialized=True",
    "Ready=True",
    "ContainersReady=True",
    "PodScheduled=True",
  ]);
  expect(status?.qosClass).toBe("BestEffort");
});

test("the node registers itself, is ready, and renews its lease", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(25 * second);
  const registered = await node.node();
  expect(registered.metadata.labels).toMatchObject({ "kubernetes.io/hostname": "node-1", "kubernetes.io/os": "linux" });
  expect(registered.spec?.podCIDR).toBe("10.244.0.0/24");
  expect(registered.status?.capacity).toMatchObject({ cpu: "4", memory: "8Gi", pods: "110" });
  expect(registered.status?.conditions?.at(-1)).toMatchObject({
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    message: "kubelet is posting ready status",
  });
  const lease = await node.client.get(leases, { namespace: "kube-node-lease", name: "node-1" });
  expect(lease.spec).toMatchObject({ holderIdentity: "node-1", leaseDurationSeconds: 40 });
  expect(lease.metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-1" }]);
});

test("a server that drops a field of the Node's status gets a report every five minutes", async () => {
  await using node = new TestNode();
  node.api.unknownStatusFields.add("nodeInfo");
  await node.start();
  await node.clock.advance(minute);
  const writes = () => node.api.requests.filter((request) => request === "PUT /api/v1/nodes/node-1/status").length;
  const before = writes();
  await node.clock.advance(10 * minute);
  expect(writes() - before).toBe(2);
});

test("a crashing container restarts immediately, then after 10, 20, 40 … 300 s, counted from its exit", async () => {
  await using node = new TestNode();
  await node.start();
  await node.createPod("crash", { containers: [{ name: "c", image: "script.kintsugi.dev/exit:1-after-2s" }] });
  await node.clock.advance(40 * minute);
  const starts = node.runtime.callsOf("startContainer").map(({ atMs }) => atMs);
  const gaps = starts.slice(1).map((atMs, i) => Math.round((atMs - (starts[i] ?? 0)) / 100) * 100 - 2 * second);
  expect(gaps.slice(0, 8)).toEqual([0, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * second));
  const status = (await node.pod("crash")).status?.containerStatuses?.[0];
  expect(status?.restartCount).toBe(starts.length - 1);
});

test("an idle node sends no queries to the API; it renews its Lease and writes its status every five minutes", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(30_000);
  const seen = node.api.requests.length;
  await node.clock.advance(10 * 60_000);
  const counts = new Map<string, number>();
  for (const request of node.api.requests.slice(seen)) {
    const kind = request.includes("watch=true") ? "WATCH" : request;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  counts.delete("WATCH");
  expect(Object.fromEntries(counts)).toEqual({
    "PUT /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1": 60,
    "PUT /api/v1/nodes/node-1/status": 2,
  });
});

test("another client's change of the node's status is reverted at the next sync", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(20_000);
  const stored = await node.node();
  const conditions = (stored.status?.conditions ?? []).map((each) => ({ ...each, status: "Unknown" as const }));
  await node.client.update(nodes, { ...stored, status: { ...stored.status, conditions } }, { subresource: "status" });
  await node.clock.advance(11_000);
  const ready = (await node.node()).status?.conditions?.find(({ type }) => type === "Ready");
  expect(ready?.status).toBe("True");
});

test("capacity that other clients advertise is kept, and is allocatable until they remove it", async () => {
  await using node = new TestNode();
  await node.start();
  await node.clock.advance(20 * second);
  const advertise = async (capacity: Record<string, string>) => {
    const stored = await node.node();
    await node.client.update(nodes, { ...stored, status: { ...stored.status, capacity } }, { subresource: "status" });
    await node.clock.advance(11 * second);
    return (await node.node()).status;
  };
  const measured = (await node.node()).status?.capacity ?? {};
  const status = await advertise({ ...measured, cpu: "99", "example.com/device": "3" });
  expect(status?.capacity).toEqual({ ...measured, "example.com/device": "3" });
  expect(status?.allocatable).toMatchObject({ "example.com/device": "3", pods: "110" });
  const requests = (count: string) => ({
    containers: [
      { name: "c", image: "script.kintsugi.dev/stubborn", resources: { requests: { "example.com/device": count } } },
    ],
  });
  await node.createPod("two", requests("2"));
  await node.clock.advance(2 * second);
  expect((await node.pod("two")).status?.phase).toBe("Running");
  await node.createPod("too-many", requests("2"));
  await node.clock.advance(2 * second);
  expect((await node.pod("too-many")).status).toMatchObject({ phase: "Failed", reason: "OutOfexample.com/device" });

  expect((await advertise(measured))?.allocatable).not.toHaveProperty(["example.com/device"]);
  // A resource that no Node lists is counted only by the scheduler.
  await node.createPod("of-the-cluster", requests("1"));
  await node.clock.advance(2 * second);
  expect((await node.pod("of-the-cluster")).status?.phase).toBe("Running");
});

test("a pod that the API no longer has does not reduce the resources of other pods, although it still runs", async () => {
  await using node = new TestNode({ maxPods: 1 });
  await node.start();
  const stubborn = { containers: [{ name: "c", image: "script.kintsugi.dev/stubborn" }] };
  await node.createPod("old", stubborn);
  await node.clock.advance(2 * second);
  // The object is removed immediately without a grace period; its containers have the grace period
  // of their spec.
  await node.client.delete(pods, { namespace: "default", name: "old" });
  await node.createPod("new", stubborn);
  await node.clock.advance(2 * second);
  expect(await node.running()).toEqual(["new/c#0", "old/c#0"]);
  expect((await node.pod("new")).status?.phase).toBe("Running");
  await node.createPod("third", stubborn);
  await node.clock.advance(2 * second);
  expect((await node.pod("third")).status).toMatchObject({ phase: "Failed", reason: "OutOfpods" });
  await node.clock.advance(30 * second);
  expect(await node.running()).toEqual(["new/c#0"]);
});
