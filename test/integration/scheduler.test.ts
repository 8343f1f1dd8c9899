import { type Event, events, findCondition, nodes, pods, silentLogger, silentMetrics } from "@kintsugi/api";
import { createApiServer } from "@kintsugi/api-server/factory";
import {
  createInProcessClient,
  type HandlerRequest,
  type HandlerResponse,
  type RequestHandler,
} from "@kintsugi/client";
import { SeededRandom, VirtualClock } from "@kintsugi/clock/testing";
import { createScheduler, type SchedulerOptions } from "@kintsugi/scheduler/factory";
import { MemoryStore } from "@kintsugi/store/testing";
import { describe, expect, test } from "vitest";

const second = 1000;

describe("the scheduler on a real API server", () => {
  test("binds pods to nodes and says so", async () => {
    await using cluster = await startCluster();
    await cluster.addNode("node-1");
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
    expect(await cluster.eventsOf("web-0")).toEqual(["Scheduled: Successfully assigned default/web-0 to node-1"]);
    const pod = await cluster.pod("web-0");
    expect(findCondition(pod.status?.conditions, "PodScheduled")?.status).toBe("True");
  });

  test("fills nodes evenly and never beyond what they have", async () => {
    await using cluster = await startCluster();
    for (const name of ["node-1", "node-2", "node-3"]) await cluster.addNode(name);
    for (let i = 0; i < 14; i++) await cluster.addPod(`web-${i}`, { cpu: "1" });
    await cluster.clock.advance(5 * second);
    const perNode = await cluster.podsPerNode();
    expect(perNode).toEqual({ "node-1": 4, "node-2": 4, "node-3": 4, "": 2 });
  });

  test("says why a pod fits nowhere, once, in its status and as an event, and places it when room appears", async () => {
    await using cluster = await startCluster();
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

  test("waits for a node when there is none", async () => {
    await using cluster = await startCluster();
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    expect(await cluster.eventsOf("web-0")).toEqual(["FailedScheduling: no nodes available to schedule pods"]);
    await cluster.addNode("node-1");
    await cluster.clock.advance(2 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("keeps away from tainted and cordoned nodes until they are neither", async () => {
    await using cluster = await startCluster();
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

  test("leaves pods of other schedulers, gated pods and pods on their way out alone", async () => {
    await using cluster = await startCluster();
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

  test("a pod that somebody else bound first stays where it is", async () => {
    await using cluster = await startCluster();
    await cluster.addPod("web-0");
    await cluster.clock.advance(second);
    await cluster.addNode("node-1", { unschedulable: true });
    await Promise.all([cluster.bind("web-0", "node-1"), cluster.addNode("node-2")]);
    await cluster.clock.advance(30 * second);
    expect(await cluster.nodeOf("web-0")).toBe("node-1");
  });

  test("two schedulers by mistake bind every pod once", async () => {
    await using cluster = await startCluster({ schedulers: 2 });
    for (const name of ["node-1", "node-2"]) await cluster.addNode(name);
    for (let i = 0; i < 6; i++) await cluster.addPod(`web-${i}`, { cpu: "1" });
    await cluster.clock.advance(60 * second);
    const perNode = await cluster.podsPerNode();
    expect(perNode[""]).toBeUndefined();
    const scheduled = await Promise.all([0, 1, 2, 3, 4, 5].map((i) => cluster.eventsOf(`web-${i}`)));
    expect(scheduled.flat().filter((text) => text.startsWith("Scheduled"))).toHaveLength(6);
  });

  test("of two candidates only the leader schedules, and the other takes over when it is gone", async () => {
    const leaderElection = {
      namespace: "kube-system",
      name: "kube-scheduler",
      leaseDurationMs: 15 * second,
      renewDeadlineMs: 10 * second,
      retryPeriodMs: 2 * second,
    };
    await using cluster = await startCluster({ schedulers: 2, leaderElection });
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

  test("a restarted scheduler knows what is placed and goes on", async () => {
    await using cluster = await startCluster();
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

describe("a binding that goes wrong", () => {
  const isBinding = (request: HandlerRequest) => request.path.endsWith("/binding");

  test("is not repeated when its answer was lost after it was done", async () => {
    let bindings = 0;
    await using cluster = await startCluster({
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

  test("keeps the room until it is known, and is repeated when it was not done", async () => {
    let isBroken = true;
    await using cluster = await startCluster({
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

  test("is told as an error of the scheduler when it is refused, and tried again", async () => {
    let isForbidden = true;
    await using cluster = await startCluster({
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

  test("of a pod that was deleted and made anew does not bind the new one by the old decision", async () => {
    let replaced = false;
    const cluster: Awaited<ReturnType<typeof startCluster>> = await startCluster({
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

type Intercept = (
  request: HandlerRequest,
  forward: (request: HandlerRequest) => Promise<HandlerResponse>,
) => Promise<HandlerResponse>;

interface ClusterOptions extends Partial<Omit<SchedulerOptions, "leaderElection">> {
  schedulers?: number;
  /** Stands between the schedulers and the server. */
  intercept?: Intercept;
  leaderElection?: Omit<NonNullable<SchedulerOptions["leaderElection"]>, "identity">;
}

async function startCluster({ schedulers = 1, leaderElection, intercept, ...options }: ClusterOptions = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(7);
  const [log, metrics] = [silentLogger, silentMetrics];
  const store = new MemoryStore({ clock });
  const server = createApiServer({ store, clock, random, log, metrics });
  const stop = new AbortController();
  const serving = server.run(stop.signal);
  await server.ready;
  const clientOf = (name: string, groups: string[] = [], handler: RequestHandler = server) =>
    createInProcessClient(
      { handler, clock, random },
      { identity: { name, groups: ["system:authenticated", ...groups] } },
    );
  const intercepted: RequestHandler =
    intercept === undefined ? server : { handle: async (request) => intercept(request, server.handle) };
  const client = clientOf("admin", ["system:masters"]);
  const running: { stop: AbortController; done: Promise<void> }[] = [];

  const startScheduler = () => {
    const scheduler = createScheduler(
      { client: clientOf("system:kube-scheduler", [], intercepted), clock, random, log, metrics },
      {
        ...options,
        ...(leaderElection === undefined
          ? {}
          : { leaderElection: { ...leaderElection, identity: `scheduler-${running.length}` } }),
      },
    );
    const stopOne = new AbortController();
    running.push({ stop: stopOne, done: scheduler.run(stopOne.signal) });
  };
  for (let i = 0; i < schedulers; i++) startScheduler();
  await clock.settle();

  const pod = (name: string) => client.get(pods, { namespace: "default", name });
  return {
    clock,
    client,
    startScheduler,
    pod,
    stopScheduler: async (index: number) => {
      running[index]?.stop.abort(new Error("stopped by the test"));
      await clock.advance(second);
      await running[index]?.done;
    },
    addNode: async (name: string, spec: object = {}) => {
      const node = await client.create(nodes, { metadata: { name }, spec });
      const status = {
        allocatable: { cpu: "4", memory: "8Gi", pods: "110" },
        conditions: [{ type: "Ready", status: "True" as const }],
      };
      await client.update(nodes, { ...node, status }, { subresource: "status" });
      const taints = "taints" in spec ? spec.taints : null;
      await client.patch(nodes, { namespace: "", name }, { type: "merge", body: { spec: { taints } } });
    },
    addPod: (name: string, requests: Record<string, string> = {}, spec: object = {}) =>
      client.create(pods, {
        metadata: { name, namespace: "default" },
        spec: { containers: [{ name: "main", image: "app", resources: { requests } }], ...spec },
      }),
    removePod: (name: string) => client.delete(pods, { namespace: "default", name }, { gracePeriodSeconds: 0 }),
    bind: async (name: string, node: string) => {
      const { metadata } = await pod(name);
      await client.call({
        method: "POST",
        path: `/api/v1/namespaces/default/pods/${name}/binding`,
        body: {
          apiVersion: "v1",
          kind: "Binding",
          metadata: { name, uid: metadata.uid },
          target: { kind: "Node", name: node },
        },
      });
    },
    nodeOf: async (name: string) => (await pod(name)).spec?.nodeName,
    podsPerNode: async () => {
      const counts: Record<string, number> = {};
      for (const { spec } of (await client.list(pods)).items)
        counts[spec?.nodeName ?? ""] = (counts[spec?.nodeName ?? ""] ?? 0) + 1;
      return counts;
    },
    eventsOf: async (name: string) => {
      const { items } = await client.list<Event>(events, { fieldSelector: `involvedObject.name=${name}` });
      return items.map(({ reason, message }) => `${reason}: ${message}`);
    },
    async [Symbol.asyncDispose]() {
      for (const { stop: stopOne } of running) stopOne.abort(new Error("the test is over"));
      await clock.advance(20 * second);
      await Promise.all(running.map(({ done }) => done));
      stop.abort();
      await serving;
      await store.close();
    },
  };
}
