import { type Pod, pods, type ResourceRequirements } from "@kintsugi/api";
import { RuntimeError } from "@kintsugi/cri";
import type { RuntimeCall } from "@kintsugi/cri/simulated";
import { expect, test } from "vitest";
import { TestNode, withNode } from "../../testing/test-node.ts";

// Cpu and memory of running containers: requested, allocated, applied.

const second = 1000;

const cpu = (amount: string): ResourceRequirements => ({ requests: { cpu: amount }, limits: { cpu: amount } });
const running = (resources: ResourceRequirements, more: object = {}) => ({
  containers: [{ name: "c", image: "script.kintsugi.dev/run", resources, ...more }],
});

/** Does the API server's part of a patch of the resize subresource. */
async function ask(node: TestNode, name: string, resources: ResourceRequirements): Promise<void> {
  const pod = await node.pod(name);
  const containers = (pod.spec?.containers ?? []).map((container) => ({ ...container, resources }));
  await node.client.update(pods, { ...pod, spec: { ...pod.spec, containers } });
  await node.clock.advance(200);
}

const conditions = (pod: Pod) =>
  (pod.status?.conditions ?? [])
    .filter(({ type }) => type.startsWith("PodResize"))
    .map(({ type, reason, message }) => [type, reason, message].filter(Boolean).join(": "));
const cpuOf = (pod: Pod) => {
  const status = pod.status?.containerStatuses?.[0];
  return `granted ${status?.allocatedResources?.["cpu"]}, given ${status?.resources?.limits?.["cpu"]}, restarts ${status?.restartCount}`;
};
const updates = (node: TestNode) => node.runtime.callsOf("updateContainerResources").length;

test("a running container gets more cpu without a restart", () =>
  withNode(async (node) => {
    await node.createPod("p", running(cpu("500m")));
    await node.clock.advance(second);
    expect(cpuOf(await node.pod("p"))).toBe("granted 500m, given 500m, restarts 0");
    await ask(node, "p", cpu("1"));
    expect(cpuOf(await node.pod("p"))).toBe("granted 1, given 1, restarts 0");
    expect(conditions(await node.pod("p"))).toEqual([]);
    expect(updates(node)).toBe(1);
    expect((await node.events()).filter((event) => event.startsWith("Resize"))).toEqual([
      'ResizeStarted: Pod resize started: {"c":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}',
      'ResizeCompleted: Pod resize completed: {"c":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}',
    ]);
  }));

test("a container whose policy requires it is restarted with its allocation", () =>
  withNode(async (node) => {
    const resizePolicy = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
    await node.createPod("p", running(cpu("500m"), { resizePolicy }));
    await node.clock.advance(second);
    await ask(node, "p", cpu("1"));
    await node.clock.advance(second);
    expect(cpuOf(await node.pod("p"))).toBe("granted 1, given 1, restarts 1");
    expect(updates(node)).toBe(0);
    expect(await node.events()).toContain("Killing: Container c resize requires restart, will be restarted");
  }));

test("a resize beyond the node's capacity is infeasible, and the container runs unchanged over every kind of restart", () =>
  withNode(async (node) => {
    await node.createPod("p", running(cpu("1")));
    await node.clock.advance(second);
    await ask(node, "p", cpu("100"));
    const pending =
      "PodResizePending: Infeasible: Node didn't have enough capacity: cpu, requested: 100000, capacity: 4000";
    expect(conditions(await node.pod("p"))).toEqual([pending]);
    await node.restart();
    const [container] = await node.runtime.listContainers({ state: "running" });
    node.runtime.exitContainer(container?.id ?? "", { exitCode: 1 });
    await node.clock.advance(second);
    expect(cpuOf(await node.pod("p"))).toBe("granted 1, given 1, restarts 1");
    expect(conditions(await node.pod("p"))).toEqual([pending]);
    await ask(node, "p", cpu("1"));
    expect(conditions(await node.pod("p"))).toEqual([]);
    expect(updates(node)).toBe(0);
  }));

test("a resize that does not fit next to other pods is deferred until another pod ends", () =>
  withNode(async (node) => {
    await node.createPod("p", running(cpu("1")));
    await node.createPod("other", running(cpu("2")));
    await node.clock.advance(second);
    await ask(node, "p", cpu("3"));
    expect(conditions(await node.pod("p"))).toEqual([
      "PodResizePending: Deferred: Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
    ]);
    expect(cpuOf(await node.pod("p"))).toBe("granted 1, given 1, restarts 0");
    await node.deletePod("other", 0);
    await node.clock.advance(3 * second);
    expect(cpuOf(await node.pod("p"))).toBe("granted 3, given 3, restarts 0");
    expect(conditions(await node.pod("p"))).toEqual([]);
  }));

test("a runtime that refuses is called again, and the condition states the reason of the delay", async () => {
  let refusing = true;
  const before = ({ name }: RuntimeCall) =>
    refusing && name === "updateContainerResources"
      ? Promise.reject(new RuntimeError("failed", "no such cgroup"))
      : Promise.resolve();
  await using node = new TestNode({}, { before });
  await node.start();
  await node.createPod("p", running(cpu("1")));
  await node.clock.advance(second);
  await ask(node, "p", cpu("2"));
  expect(cpuOf(await node.pod("p"))).toBe("granted 2, given 1, restarts 0");
  expect(conditions(await node.pod("p"))).toEqual(["PodResizeInProgress: Error: no such cgroup"]);
  refusing = false;
  await node.clock.advance(20 * second);
  expect(cpuOf(await node.pod("p"))).toBe("granted 2, given 2, restarts 0");
});

test("a memory limit is lowered in place, but not below the present use, and the condition has the reason", () =>
  withNode(async (node) => {
    const memory = (limit: string) => ({ requests: { memory: "1Mi" }, limits: { memory: limit } });
    await node.createPod("p", running(memory("20Mi")));
    await node.clock.advance(second);
    await ask(node, "p", memory("10Mi"));
    expect(conditions(await node.pod("p"))).toEqual([]);
    expect(updates(node)).toBe(1);
    // The container uses 4 MiB.
    await ask(node, "p", memory("2Mi"));
    expect(conditions(await node.pod("p"))).toEqual([
      "PodResizeInProgress: Error: cannot decrease memory limits: " +
        "[attempting to set pod memory limit (2097152) below current usage (4194304), " +
        'attempting to set container "c" memory limit (2097152) below current usage (4194304)]',
    ]);
    expect(updates(node)).toBe(1);
    await ask(node, "p", memory("8Mi"));
    await node.clock.advance(20 * second);
    expect(conditions(await node.pod("p"))).toEqual([]);
    expect(updates(node)).toBe(2);
  }));

test("an added memory limit is also rejected below the present use", () =>
  withNode(async (node) => {
    await node.createPod("p", running({ requests: { memory: "1Mi" } }));
    await node.clock.advance(second);
    await ask(node, "p", { requests: { memory: "1Mi" }, limits: { memory: "2Mi" } });
    expect(conditions(await node.pod("p"))[0]).toMatch(/^PodResizeInProgress: Error: cannot decrease memory limits: /);
    expect(updates(node)).toBe(0);
  }));

test("an allocation that a crashed kubelet had not actuated is actuated by the next kubelet", () =>
  withNode(async (node) => {
    await node.createPod("p", running(cpu("1")));
    await node.clock.advance(second);
    node.runtime.setAvailable(false);
    await ask(node, "p", cpu("2"));
    await node.stop();
    node.runtime.setAvailable(true);
    await node.start();
    await node.clock.advance(20 * second);
    expect(cpuOf(await node.pod("p"))).toBe("granted 2, given 2, restarts 0");
    const given = updates(node);
    await node.restart();
    await node.clock.advance(5 * second);
    expect(updates(node)).toBe(given);
    expect(cpuOf(await node.pod("p"))).toBe("granted 2, given 2, restarts 0");
  }));
