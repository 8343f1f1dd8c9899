import type { Node } from "@kintsugi/api";
import { expect, test } from "vitest";
import { withNode } from "../../testing/test-node.ts";

const second = 1000;

test("events during an outage of the API are reported after it", () =>
  withNode(async (node) => {
    await node.createPod("p", { containers: [{ name: "c", image: "script.kintsugi.dev/run" }] });
    await node.clock.advance(2 * second);
    node.api.isDown = true;
    node.api.endWatches(true);
    const [container] = await node.runtime.listContainers();
    node.runtime.exitContainer(container?.id ?? "", { exitCode: 1 });
    await node.clock.advance(30 * second);
    expect(await node.running()).toEqual(["p/c#1"]);
    node.api.isDown = false;
    await node.clock.advance(30 * second);
    expect((await node.pod("p")).status?.containerStatuses?.[0]?.restartCount).toBe(1);
  }));

test("a node that was marked as lost during an API outage reports its status with the first successful call", () =>
  withNode(async (node) => {
    const ready = async () => (await node.node()).status?.conditions?.find(({ type }) => type === "Ready")?.status;
    await node.clock.advance(2 * second);
    expect(await ready()).toBe("True");
    node.api.isDown = true;
    node.api.endWatches(true);
    await node.clock.advance(60 * second);
    const lost = node.api.log.find("nodes", "", "node-1") as Node;
    const conditions = lost.status?.conditions?.map((each) => ({ ...each, status: "Unknown" as const })) ?? [];
    const unknown: Node = { ...lost, status: { ...lost.status, conditions } };
    node.api.log.put("nodes", unknown);
    node.api.isDown = false;
    expect(await ready()).toBe("Unknown");
    await node.clock.advance(100);
    expect(await ready()).toBe("True");
  }));

test("after an outage shorter than the nodes' grace period a node does not report its status early", () =>
  withNode(async (node) => {
    await node.clock.advance(21 * second);
    node.api.isDown = true;
    await node.clock.advance(12 * second);
    const before = node.api.requests.length;
    node.api.isDown = false;
    await node.clock.advance(5 * second);
    const after = node.api.requests.slice(before);
    expect(after.some((request) => request.includes("/leases/"))).toBe(true);
    expect(after.filter((request) => request.includes("/nodes/"))).toEqual([]);
  }));
