import { nodes } from "@kintsugi/api";
import type { RuntimeFaults } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { TestNode } from "../../testing/test-node.ts";

test("a pod that waits for its node's network starts within a second of the runtime's report", async () => {
  let isReady = false;
  const conditions = () => [
    { type: "RuntimeReady", status: true, reason: "", message: "" },
    { type: "NetworkReady", status: isReady, reason: "NetworkPluginNotReady", message: "" },
  ];
  const faults: RuntimeFaults = {
    answer: ({ name }, answer) => (name === "status" ? { ...(answer as object), conditions: conditions() } : answer),
  };
  await using node = new TestNode({}, faults);
  await node.start();
  await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
  await node.clock.advance(12_000);
  expect(await node.running()).toEqual([]);
  isReady = true;
  // The kubelet reads the runtime's status every 5 s.
  await node.clock.advance(6000);
  expect(await node.running()).toEqual(["p/c#0"]);
});

test("a node without a range is not Ready until the cluster assigns a range and the runtime applies it", async () => {
  let tries = 0;
  let checks = 0;
  const conditions = () => [
    { type: "RuntimeReady", status: true, reason: "", message: "" },
    // Like containerd, the runtime reads its written file a little later.
    {
      type: "NetworkReady",
      status: tries > 1 && ++checks > 2,
      reason: "NetworkPluginNotReady",
      message: "cni plugin not initialized",
    },
  ];
  const faults: RuntimeFaults = {
    before: ({ name }) => {
      if (name === "updatePodCidr" && ++tries === 1) throw new Error("not now");
      return undefined;
    },
    answer: ({ name }, answer) => (name === "status" ? { ...(answer as object), conditions: conditions() } : answer),
  };
  await using node = new TestNode({ podCidr: "" }, faults);
  await node.start();
  const ready = async () => (await node.node()).status?.conditions?.find(({ type }) => type === "Ready");
  await node.clock.advance(60_000);
  expect(await ready()).toMatchObject({
    status: "False",
    message:
      "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
  });
  expect(node.runtime.callsOf("updatePodCidr")).toEqual([]);
  const before = await node.node();
  const range = { podCIDR: "10.200.128.0/24", podCIDRs: ["10.200.128.0/24"] };
  await node.client.update(nodes, { ...before, spec: { ...before.spec, ...range } });
  await node.clock.advance(5_000);
  expect(node.runtime.callsOf("updatePodCidr").map(({ args }) => args[0])).toEqual([
    "10.200.128.0/24",
    "10.200.128.0/24",
  ]);
  await node.clock.advance(1_000);
  expect((await ready())?.status).toBe("True");

  // Pods have addresses of that range, so a Node that is created again gets it.
  await node.client.delete(nodes, { namespace: "", name: "node-1" });
  await node.clock.advance(20_000);
  expect((await node.node()).spec?.podCIDRs).toEqual(["10.200.128.0/24"]);
});
