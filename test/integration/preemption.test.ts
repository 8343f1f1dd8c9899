import { events, findCondition, nodes, podDisruptionBudgets, pods } from "@kintsugi/api";
import type { HandlerRequest, HandlerResponse } from "@kintsugi/client";
import { describe, expect, test } from "vitest";
import { startSchedulerCluster } from "./scheduler-cluster.ts";

const second = 1000;

const important = { priorityClassName: "important" };
const middling = { priorityClassName: "middling" };

describe("a pod that fits on no node", () => {
  test("preempts less important pods, waits for their end, and is bound then", async () => {
    await using cluster = await aFullCluster();
    const high = await cluster.addPod("high", { cpu: "3" }, important);
    await cluster.clock.advance(second);

    const low = await cluster.pod("low");
    expect(low.metadata.deletionGracePeriodSeconds).toBe(30);
    expect(findCondition(low.status?.conditions, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "PreemptionByScheduler",
      message: "default-scheduler: preempting to accommodate a higher priority pod",
    });
    const { items: told } = await cluster.client.list(events, {
      fieldSelector: "involvedObject.name=low,reason=Preempted",
    });
    expect(told).toMatchObject([
      {
        message: `Preempted by pod ${high.metadata.uid} on node node-1`,
        action: "Preempting",
        related: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "high", uid: high.metadata.uid },
      },
    ]);

    await cluster.clock.advance(20 * second);
    const waiting = await cluster.pod("high");
    expect(waiting.spec?.nodeName).toBeUndefined();
    expect(waiting.status?.nominatedNodeName).toBe("node-1");
    expect(findCondition(waiting.status?.conditions, "PodScheduled")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: "0/1 nodes are available: 1 Insufficient cpu.",
    });

    await cluster.removePod("low");
    await cluster.clock.advance(3 * second);
    expect(await cluster.nodeOf("high")).toBe("node-1");
    expect(await cluster.eventsOf("high")).toEqual([
      "FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu.",
      "Scheduled: Successfully assigned default/high to node-1",
    ]);
  });

  test("is tried again while a victim terminates, with an event, and does not preempt another pod in the meantime", async () => {
    await using cluster = await aFullCluster();
    await cluster.addNode("node-2");
    await cluster.addPod("other", { cpu: "4" });
    await cluster.clock.advance(second);
    await cluster.addPod("high", { cpu: "3" }, important);
    await cluster.clock.advance(second);
    await cluster.client.patch(pods, key("high"), { type: "merge", body: { metadata: { labels: { again: "1" } } } });
    await cluster.clock.advance(20 * second);
    expect((await cluster.eventsOf("high")).at(-1)).toBe(
      "FailedScheduling: 0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.",
    );
    expect(await leavingPods(cluster)).toHaveLength(1);
  });

  test("waits forever with preemptionPolicy Never", async () => {
    await using cluster = await aFullCluster();
    await cluster.addPriorityClass("patient", 1000, "Never");
    await cluster.addPod("high", { cpu: "3" }, { priorityClassName: "patient" });
    await cluster.clock.advance(10 * second);
    expect(await leavingPods(cluster)).toEqual([]);
    expect(await cluster.eventsOf("high")).toEqual([
      "FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
    ]);
  });

  test("does not preempt pods that a budget protects if other pods can be preempted", async () => {
    await using cluster = await startClusterWithClasses();
    await cluster.addNode("node-1");
    await cluster.addPod("kept", { cpu: "4" }, { labels: { app: "db" } });
    await cluster.clock.advance(second);
    await cluster.addNode("node-2");
    await cluster.addPod("middling", { cpu: "4" }, middling);
    const budget = await cluster.client.create(podDisruptionBudgets, {
      metadata: { name: "db", namespace: "default" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "db" } } },
    });
    const status = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    await cluster.client.update(podDisruptionBudgets, { ...budget, status }, { subresource: "status" });
    await cluster.clock.advance(second);
    await cluster.addPod("high", { cpu: "3" }, important);
    await cluster.clock.advance(second);
    expect(await leavingPods(cluster)).toEqual(["middling"]);
  });

  test("is not overtaken by a less important pod while its victims terminate one by one", async () => {
    await using cluster = await startClusterWithClasses();
    await cluster.addNode("node-1");
    for (const name of ["low-1", "low-2"]) await cluster.addPod(name, { cpu: "2" });
    await cluster.clock.advance(second);
    await cluster.addPod("high", { cpu: "4" }, important);
    await cluster.clock.advance(second);
    await cluster.addPod("late", { cpu: "2" });
    await cluster.removePod("low-1");
    await cluster.clock.advance(15 * second);
    expect([await cluster.nodeOf("late"), await cluster.nodeOf("high")]).toEqual([undefined, undefined]);
    await cluster.removePod("low-2");
    await cluster.clock.advance(15 * second);
    expect([await cluster.nodeOf("late"), await cluster.nodeOf("high")]).toEqual([undefined, "node-1"]);
  });

  test("leaves its reservation to the next pod when it is deleted", async () => {
    await using cluster = await aFullCluster();
    await cluster.addPod("high", { cpu: "4" }, important);
    await cluster.clock.advance(second);
    await cluster.addPod("late", { cpu: "2" });
    await cluster.stopScheduler(0);
    await cluster.removePod("low");
    cluster.startScheduler();
    await Promise.all([cluster.removePod("high"), cluster.clock.advance(5 * second)]);
    expect(await cluster.nodeOf("late")).toBe("node-1");
  });

  test("takes over the reservation of a less important pod, whose nomination ends", async () => {
    await using cluster = await aFullCluster();
    await cluster.addPod("middling", { cpu: "4" }, middling);
    await cluster.clock.advance(second);
    expect((await cluster.pod("middling")).status?.nominatedNodeName).toBe("node-1");
    await cluster.addPod("high", { cpu: "4" }, important);
    await cluster.clock.advance(second);
    expect((await cluster.pod("middling")).status?.nominatedNodeName).toBeUndefined();
    expect((await cluster.pod("high")).status?.nominatedNodeName).toBe("node-1");
    await cluster.removePod("low");
    await cluster.clock.advance(15 * second);
    expect([await cluster.nodeOf("middling"), await cluster.nodeOf("high")]).toEqual([undefined, "node-1"]);
  });

  test("is no longer nominated once it cannot fit on its node, even if all other pods are removed", async () => {
    await using cluster = await aFullCluster();
    await cluster.addPod("high", { cpu: "3" }, important);
    await cluster.clock.advance(second);
    const cordon = { type: "merge" as const, body: { spec: { unschedulable: true } } };
    await cluster.client.patch(nodes, { namespace: "", name: "node-1" }, cordon);
    await cluster.removePod("low");
    await cluster.clock.advance(15 * second);
    const high = await cluster.pod("high");
    expect(high.status?.nominatedNodeName).toBeUndefined();
    expect(findCondition(high.status?.conditions, "PodScheduled")?.message).toBe(
      "0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    );
  });
});

describe("a preemption that fails", () => {
  const isNomination = ({ method, body }: HandlerRequest) =>
    method === "PATCH" && textOf(body).includes("nominatedNodeName");

  test("does not evict pods while the nomination cannot be written, and is retried after a back-off", async () => {
    let attempts = 0;
    await using cluster = await aFullCluster((request, forward) => {
      if (isNomination(request) && ++attempts <= 2) return Promise.resolve(refusal());
      return forward(request);
    });
    await cluster.addPod("high", { cpu: "3" }, important);
    await cluster.clock.advance(second / 2);
    expect(attempts).toBe(1);
    expect(await leavingPods(cluster)).toEqual([]);
    await cluster.clock.advance(10 * second);
    expect(attempts).toBe(3);
    expect(await leavingPods(cluster)).toEqual(["low"]);
  });

  test("continues with the other victims when a victim cannot be deleted, and retries that victim", async () => {
    let refusals = 2;
    await using cluster = await startClusterWithClasses((request, forward) => {
      if (request.method === "DELETE" && request.path.includes("/low-1") && refusals-- > 0)
        return Promise.resolve(refusal());
      return forward(request);
    });
    await cluster.addNode("node-1");
    for (const name of ["low-1", "low-2"]) await cluster.addPod(name, { cpu: "2" });
    await cluster.clock.advance(second);
    await cluster.addPod("high", { cpu: "4" }, important);
    await cluster.clock.advance(second / 2);
    expect(await leavingPods(cluster)).toEqual(["low-2"]);
    await cluster.removePod("low-2");
    await cluster.clock.advance(30 * second);
    expect(await leavingPods(cluster)).toEqual(["low-1"]);
  });

  test.each([1, 2, 3, 4, 5])("continues in another scheduler when the first crashes at its write %i", async (fatal) => {
    let writes = 0;
    let isDead = false;
    await using cluster = await startClusterWithClasses((request, forward) => {
      const isOfPod = /\/namespaces\/default\/pods\/[^/]+(\/status)?$/u.test(request.path.split("?")[0] ?? "");
      if (isOfPod && (request.method === "PATCH" || request.method === "DELETE") && ++writes === fatal) isDead = true;
      if (isDead) throw new Error("connection refused");
      return forward(request);
    });
    for (const node of ["node-1", "node-2"]) {
      await cluster.addNode(node);
      for (const i of [1, 2]) await cluster.addPod(`${node}-low-${i}`, { cpu: "2" });
      await cluster.clock.advance(second);
    }
    await cluster.addPod("high", { cpu: "4" }, important);
    await cluster.clock.advance(second / 2);
    expect(isDead).toBe(true);
    await cluster.stopScheduler(0);
    isDead = false;
    cluster.startScheduler();
    await cluster.clock.advance(5 * second);

    const { nominatedNodeName } = (await cluster.pod("high")).status ?? {};
    const left: string[] = [];
    // The second scheduler evicts the remaining victims once the evicted pods are removed.
    for (let round = 0; round < 2; round++) {
      for (const name of await leavingPods(cluster)) {
        left.push(name);
        await cluster.removePod(name ?? "");
      }
      await cluster.clock.advance(15 * second);
    }
    expect(new Set(left)).toEqual(new Set([1, 2].map((i) => `${nominatedNodeName}-low-${i}`)));
    expect(left).toHaveLength(2);
    expect(await cluster.nodeOf("high")).toBe(nominatedNodeName);
  });
});

type Cluster = Awaited<ReturnType<typeof startSchedulerCluster>>;
type Intercept = NonNullable<Parameters<typeof startSchedulerCluster>[0]>["intercept"];

async function startClusterWithClasses(intercept?: Intercept): Promise<Cluster> {
  const cluster = await startSchedulerCluster(intercept === undefined ? {} : { intercept });
  await cluster.addPriorityClass("important", 1000, "PreemptLowerPriority");
  await cluster.addPriorityClass("middling", 500, "PreemptLowerPriority");
  return cluster;
}

/** One node, filled by one pod of priority 0. */
async function aFullCluster(intercept?: Intercept): Promise<Cluster> {
  const cluster = await startClusterWithClasses(intercept);
  await cluster.addNode("node-1");
  await cluster.addPod("low", { cpu: "4" });
  await cluster.clock.advance(second);
  return cluster;
}

async function leavingPods({ client }: Cluster): Promise<string[]> {
  const { items } = await client.list(pods);
  return items.flatMap(({ metadata: { name = "", deletionTimestamp } }) =>
    deletionTimestamp === undefined ? [] : [name],
  );
}

function key(name: string) {
  return { namespace: "default", name };
}

function textOf(body: HandlerRequest["body"]): string {
  return body === undefined ? "" : Buffer.from(body).toString();
}

function refusal(): HandlerResponse {
  const status = { kind: "Status", code: 403, reason: "Forbidden", message: "not today" };
  return { status: 403, headers: {}, body: Buffer.from(JSON.stringify(status)) };
}
