import { findCondition, nodes, pods } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { describe, expect, test } from "vitest";
import { startSchedulerCluster } from "./scheduler-cluster.ts";

const second = 1000;

describe("the scheduler on a real API server", () => {
  test("binds pods to nodes and reports it", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
    expect(await cluster.eventsOf("web-0")).toEqual(["Scheduled: Successfully assigned default/web-0 to node-1"]);
    const pod = await cluster.pod("web-0");
    expect(findCondition(pod.status?.conditions, "PodScheduled")?.status).toBe("True");
  });

  test("fills nodes evenly and never beyond their capacity", async () => {
    await using cluster = await startSchedulerCluster();
    for (const name of ["node-1", "node-2", "node-3"]) await cluster.addNode(name);
    for (let i = 0; i < 14; i++) await cluster.addPod(`web-${i}`, { cpu: "1" });
    await cluster.clock.advance(5 * second);
    const perNode = await cluster.podsPerNode();
    expect(perNode).toEqual({ "node-1": 4, "node-2": 4, "node-3": 4, "": 2 });
  });

  test("states once why a pod does not fit on any node, in its status and in an event, and places it when resources are free", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1");
    await cluster.addPod("first", { cpu: "3" });
    await cluster.clock.advance(second);
    await cluster.addPod("second", { cpu: "2" });
    await cluster.clock.advance(second);
    const message =
      "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
    expect(await cluster.eventsOf("second")).toEqual([`FailedScheduling: ${message}`]);
    expect(findCondition((await cluster.pod("second")).status?.conditions, "PodScheduled")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message,
    });
    await cluster.removePod("first");
    await cluster.clock.advance(3 * second);
    expect(await cluster.nodeOf("second")).toBe("node-1");
  });

  test("waits for a node when none exists", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    expect(await cluster.eventsOf("web-0")).toEqual(["FailedScheduling: no nodes available to schedule pods"]);
    await cluster.addNode("node-1");
    await cluster.clock.advance(2 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("does not use tainted and cordoned nodes until their taints are removed and they are uncordoned", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1", { unschedulable: true });
    await cluster.addNode("node-2", { taints: [{ key: "node.kubernetes.io/unreachable", effect: "NoSchedule" }] });
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    expect(await cluster.eventsOf("web-0")).toEqual([
      "FailedScheduling: 0/2 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
    ]);
    await cluster.client.patch(
      nodes,
      { namespace: "", name: "node-1" },
      { type: "merge", body: { spec: { unschedulable: false } } },
    );
    await cluster.clock.advance(3 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("ignores pods of other schedulers, gated pods and terminating pods", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1");
    await cluster.addPod("other", {}, { schedulerName: "my-scheduler" });
    await cluster.addPod("gated", {}, { schedulingGates: [{ name: "example.com/wait" }] });
    await cluster.clock.advance(10 * second);
    expect(await cluster.podsPerNode()).toEqual({ "": 2 });
    await cluster.client.patch(
      pods,
      { namespace: "default", name: "gated" },
      { type: "merge", body: { spec: { schedulingGates: null } } },
    );
    await cluster.clock.advance(second);
    expect(await cluster.nodeOf("gated")).toBe("node-1");
  });

  test("does not store a pod of another scheduler until it is bound, and counts it until it has ended", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1");
    await cluster.addPod("own", { cpu: "1" });
    await cluster.addPod("other", { cpu: "2" }, { schedulerName: "my-scheduler" });
    await cluster.clock.advance(second);
    expect(cluster.keptPods()).toEqual(["own"]);
    await cluster.bind("other", "node-1");
    await cluster.addPod("late", { cpu: "2" });
    await cluster.clock.advance(second);
    expect(cluster.keptPods()).toEqual(["late", "other", "own"]);
    expect(await cluster.eventsOf("late")).toEqual([expect.stringContaining("1 Insufficient cpu") as string]);
    const body = { status: { phase: "Succeeded" } };
    const other = { namespace: "default", name: "other" };
    await cluster.client.patch(pods, other, { type: "merge", body }, { subresource: "status" });
    await cluster.clock.advance(3 * second);
    expect([cluster.keptPods(), await cluster.nodeOf("late")]).toEqual([["late", "own"], "node-1"]);
  });

  test("does not read a pod again if its informer has shown the pod's binding", async () => {
    const reads: string[] = [];
    await using cluster = await startSchedulerCluster({
      intercept: (request, forward) => {
        if (request.method === "GET" && /\/pods\/[^/]+$/.test(request.path)) reads.push(request.path);
        return forward(request);
      },
    });
    await cluster.addNode("node-1");
    for (let i = 0; i < 20; i++) await cluster.addPod(`web-${i}`);
    await cluster.clock.advance(60 * second);
    expect(await cluster.podsPerNode()).toEqual({ "node-1": 20 });
    expect(reads).toEqual([]);
  });

  test("leaves a pod that another scheduler bound first on its node", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    await cluster.addNode("node-1", { unschedulable: true });
    await Promise.all([cluster.bind("web-0", "node-1"), cluster.addNode("node-2")]);
    await cluster.clock.advance(30 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("bind every pod once even if two schedulers run by mistake", async () => {
    await using cluster = await startSchedulerCluster({ schedulers: 2 });
    for (const name of ["node-1", "node-2"]) await cluster.addNode(name);
    for (let i = 0; i < 6; i++) await cluster.addPod(`web-${i}`, { cpu: "1" });
    await cluster.clock.advance(60 * second);
    const perNode = await cluster.podsPerNode();
    expect(perNode[""]).toBeUndefined();
    const scheduled = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => cluster.eventsOf(`web-${i}`)));
    expect(scheduled.flat().filter((text) => text.startsWith("Scheduled"))).toHaveLength(6);
  });

  const leaderElection = {
    namespace: "kube-system",
    name: "kube-scheduler",
    leaseDurationMs: 15 * second,
    renewDeadlineMs: 10 * second,
    retryPeriodMs: 2 * second,
  };

  test("schedules with the leader of two candidates only, and the other candidate takes over when the leader no longer exists", async () => {
    await using cluster = await startSchedulerCluster({ schedulers: 2, leaderElection });
    await cluster.addNode("node-1");
    await cluster.clock.advance(10 * second);
    await cluster.addPod("web-0");
    await cluster.clock.advance(5 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
    await cluster.stopScheduler(0);
    await cluster.addPod("web-1");
    await cluster.clock.advance(30 * second);
    expect(await cluster.nodeOf("web-1")).toBe("node-1");
  });

  test("continues as the leader after a server outage without a replacement, with the present state", async () => {
    let away = false;
    await using cluster = await startSchedulerCluster({
      leaderElection,
      intercept: async (request, forward) => {
        if (away) throw new Error("connection refused");
        return forward(request);
      },
    });
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(5 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
    away = true;
    await cluster.addPod("web-1");
    await cluster.client.delete(nodes, { namespace: "", name: "node-1" });
    await cluster.addNode("node-2");
    await cluster.clock.advance(60 * second);
    expect(await cluster.nodeOf("web-1")).toBeUndefined();
    away = false;
    await cluster.clock.advance(1.2 * leaderElection.retryPeriodMs + 200);
    expect(await cluster.nodeOf("web-1")).toBe("node-2");
  });

  test("restores the placed pods after a restart and continues", async () => {
    await using cluster = await startSchedulerCluster();
    await cluster.addNode("node-1");
    for (let i = 0; i < 3; i++) await cluster.addPod(`old-${i}`, { cpu: "1" });
    await cluster.clock.advance(second);
    await cluster.stopScheduler(0);
    for (let i = 0; i < 3; i++) await cluster.addPod(`new-${i}`, { cpu: "1" });
    cluster.startScheduler();
    await cluster.clock.advance(5 * second);
    expect(await cluster.podsPerNode()).toEqual({ "node-1": 4, "": 2 });
  });
});

describe("a binding that fails", () => {
  const isBinding = (request: HandlerRequest) => request.path.endsWith("/binding");

  test("is not repeated if its response was lost after its execution", async () => {
    let bindings = 0;
    await using cluster = await startSchedulerCluster({
      intercept: async (request, forward) => {
        const answer = await forward(request);
        if (isBinding(request) && ++bindings === 1) throw new Error("connection reset");
        return answer;
      },
    });
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(30 * second);
    expect(bindings).toBe(1);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
    expect(await cluster.eventsOf("web-0")).toEqual(["Scheduled: Successfully assigned default/web-0 to node-1"]);
  });

  test("keeps its reservation until the outcome is known, and is repeated if it was not executed", async () => {
    let isBroken = true;
    await using cluster = await startSchedulerCluster({
      intercept: (request, forward) => {
        const isPodRead = request.method === "GET" && request.path.endsWith("/pods/web-0");
        if (isBroken && (isBinding(request) || isPodRead)) throw new Error("connection reset");
        return forward(request);
      },
    });
    await cluster.addNode("node-1");
    await cluster.addPod("web-0", { cpu: "3" });
    await cluster.clock.advance(second);
    await cluster.addPod("web-1", { cpu: "3" });
    await cluster.clock.advance(20 * second);
    expect(await cluster.podsPerNode()).toEqual({ "": 2 });
    expect((await cluster.eventsOf("web-1"))[0]).toContain("1 Insufficient cpu");
    isBroken = false;
    await cluster.clock.advance(60 * second);
    expect(await cluster.podsPerNode()).toEqual({ "node-1": 1, "": 1 });
  });

  test("is reported as an error of the scheduler if it is rejected, and is retried", async () => {
    let isForbidden = true;
    await using cluster = await startSchedulerCluster({
      intercept: (request, forward) => {
        if (!isForbidden || !isBinding(request)) return forward(request);
        const status = { kind: "Status", code: 403, reason: "Forbidden", message: "no bindings today" };
        return Promise.resolve({ status: 403, headers: {}, body: Buffer.from(JSON.stringify(status)) });
      },
    });
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(second / 2);
    expect(await cluster.eventsOf("web-0")).toEqual([
      'FailedScheduling: running Bind plugin "DefaultBinder": no bindings today',
    ]);
    expect(findCondition((await cluster.pod("web-0")).status?.conditions, "PodScheduled")).toMatchObject({
      status: "False",
      reason: "SchedulerError",
    });
    isForbidden = false;
    await cluster.clock.advance(3 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("of a pod that was deleted and recreated does not bind the new pod by the old decision", async () => {
    let replaced = false;
    const cluster: Awaited<ReturnType<typeof startSchedulerCluster>> = await startSchedulerCluster({
      intercept: async (request, forward) => {
        if (isBinding(request) && !replaced) {
          replaced = true;
          await cluster.removePod("web-0");
          await cluster.addPod("web-0", {}, { nodeSelector: { disk: "ssd" } });
        }
        return forward(request);
      },
    });
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(10 * second);
    expect(await cluster.nodeOf("web-0")).toBeUndefined();
    expect((await cluster.eventsOf("web-0")).join()).toContain("didn't match Pod's node affinity/selector");
    await cluster[Symbol.asyncDispose]();
  });
});
