import { leases } from "@kintsugi/api";
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
