import { VirtualClock } from "@kintsugi/clock/simulated";
import { describe, expect, test } from "vitest";
import { defaultPlugins, type PodInfo, podInfoOf } from "@kintsugi/scheduling";
import { aNode, aPod, type PodDetails, podInfo } from "@kintsugi/scheduling/testing";
import type { QueuedPod } from "./queued-pod.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";

const byResources = new Set(["NodeResourcesFit"]);
const byPorts = new Set(["NodePorts"]);

describe("the scheduling queue", () => {
  test("returns the most important pod first, and among equals the pod that has been ready longest", async () => {
    const { queue, clock, put, popName } = aQueue();
    put("first");
    await clock.advance(1);
    put("second");
    put("important", { spec: { priority: 1000 } });
    expect([popName(), popName(), popName(), popName()]).toEqual(["important", "first", "second", undefined]);
    queue.stop();
  });

  test("keeps a rejected pod waiting until an event may help it", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    put("web", { hostPort: 80 });
    queue.putRejected(pop(), byPorts);
    await clock.advance(20_000);
    queue.onEvent({ is: "AssignedPodDelete", pod: podInfo("x", { hostPort: 81 }), nodeName: "a" });
    expect(sizes()).toBe("ready 0, backing off 0, waiting 1, gated 0");
    queue.onEvent({ is: "AssignedPodDelete", pod: podInfo("x", { hostPort: 80 }), nodeName: "a" });
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("no event retries a pod while preemption for it is in progress, and the last event retries it after the preemption", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    const left = (name: string) =>
      queue.onEvent({ is: "AssignedPodDelete", pod: podInfo(name, { hostPort: 80 }), nodeName: "a" });
    put("web", { hostPort: 80 });
    const web = pop();
    queue.hold(web.pod.uid);
    queue.putRejected(web, byPorts);
    await clock.advance(20_000);
    left("first");
    expect(sizes()).toBe("ready 0, backing off 0, waiting 1, gated 0");
    queue.release(web.pod.uid);
    left("last");
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("a pod that no event can wake can be retried explicitly", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    put("web", { hostPort: 80 });
    const web = pop();
    queue.putRejected(web, byPorts);
    await clock.advance(20_000);
    queue.activate("no one's");
    queue.activate(web.pod.uid);
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("an event during its back-off lets a rejected pod retry immediately, behind all ready pods", () => {
    const { queue, put, pop, popName, sizes } = aQueue();
    put("web", { spec: { priority: 1000 } });
    queue.putRejected(pop(), byResources);
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    put("other");
    expect(sizes()).toBe("ready 1, backing off 1, waiting 0, gated 0");
    expect([popName(), popName(), popName()]).toEqual(["other", "web", undefined]);
    queue.stop();
  });

  test("among pods in back-off the pod whose back-off ends next is first, and after that its priority counts", async () => {
    const { queue, clock, put, pop, popName } = aQueue();
    put("first");
    queue.putRejected(pop(), byResources);
    await clock.advance(100);
    put("important", { spec: { priority: 1000 } });
    queue.putRejected(pop(), byResources);
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    const [first, important] = [pop(), pop()];
    expect([first, important].map(({ pod }) => pod.pod.metadata.name)).toEqual(["first", "important"]);
    queue.putRejected(first, byResources);
    queue.putRejected(important, byResources);
    queue.onEvent({ is: "NodeAdd", node: aNode("b") });
    await clock.advance(2000);
    expect([popName(), popName()]).toEqual(["important", "first"]);
    queue.stop();
  });

  test("a pod after an error waits until its back-off has ended, regardless of events", async () => {
    const { queue, clock, put, pop, popName, sizes } = aQueue();
    put("web");
    queue.putFailed(pop());
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    expect(sizes()).toBe("ready 0, backing off 1, waiting 0, gated 0");
    await clock.advance(999);
    expect(popName()).toBeUndefined();
    await clock.advance(1);
    expect(popName()).toBe("web");
  });

  test("the back-off doubles from 1 s to 10 s", async () => {
    const { queue, clock, put, pop } = aQueue();
    put("web");
    const waits: number[] = [];
    for (let i = 0; i < 6; i++) {
      queue.putFailed(pop());
      const startedMs = clock.monotonicMs();
      while (queue.sizes().active === 0) await clock.advance(100);
      waits.push(clock.monotonicMs() - startedMs);
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
    queue.stop();
  });

  test("a pod that no event wakes is retried after five minutes", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    put("web");
    queue.putRejected(pop(), byResources);
    await clock.advance(299_000);
    expect(sizes()).toBe("ready 0, backing off 0, waiting 1, gated 0");
    await clock.advance(31_000);
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("a pod without any candidate node waits for a node", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    put("web");
    queue.putRejected(pop(), new Set());
    await clock.advance(5000);
    queue.onEvent({ is: "AssignedPodAdd", pod: podInfo("x") });
    expect(sizes()).toBe("ready 0, backing off 0, waiting 1, gated 0");
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("a pod whose own spec changes is retried, and a change of its status does not count", async () => {
    const { queue, clock, put, pop, sizes } = aQueue();
    put("web");
    queue.putRejected(pop(), byResources);
    await clock.advance(5000);
    queue.put(podInfoOf(aPod("web", { status: { phase: "Pending", message: "still here" } })));
    expect(sizes()).toBe("ready 0, backing off 0, waiting 1, gated 0");
    queue.put(podInfoOf(aPod("web", { spec: { tolerations: [{ operator: "Exists" }] } })));
    expect(sizes()).toBe("ready 1, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("gated pods wait only for the removal of their gates", async () => {
    const { queue, put, popName, sizes } = aQueue();
    put("web", { spec: { schedulingGates: [{ name: "example.com/a" }] } });
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    expect(sizes()).toBe("ready 0, backing off 0, waiting 0, gated 1");
    put("web");
    expect(popName()).toBe("web");
  });

  test("the newest state of a pod is tried", () => {
    const { put, pop } = aQueue();
    put("web");
    put("web", { labels: { version: "2" } });
    expect(pop().pod.labels).toEqual({ version: "2" });
  });

  test("a removed pod leaves the queue from every place", async () => {
    const { queue, put, pop, sizes } = aQueue();
    put("failed");
    queue.putFailed(pop());
    put("rejected");
    queue.putRejected(pop(), byResources);
    put("ready");
    put("gated", { spec: { schedulingGates: [{ name: "example.com/a" }] } });
    expect(sizes()).toBe("ready 1, backing off 1, waiting 1, gated 1");
    for (const name of ["ready", "failed", "rejected", "gated"]) queue.remove(`uid-${name}`);
    expect(sizes()).toBe("ready 0, backing off 0, waiting 0, gated 0");
    queue.stop();
  });

  test("a pod that returns from an attempt while it is in the queue is a programming error", () => {
    const { queue, put, pop } = aQueue();
    put("web");
    const attempted = pop();
    put("web");
    expect(() => queue.putRejected(attempted, byResources)).toThrow("is in the queue already");
    expect(() => queue.putFailed(attempted)).toThrow("is in the queue already");
    queue.stop();
  });

  test("a failed pod without an attempt is a programming error", () => {
    const { queue, put, pop } = aQueue();
    put("web");
    expect(() => queue.putFailed({ ...pop(), attempts: 0 })).toThrow("failed without an attempt");
    queue.stop();
  });

  test("counts how many pods wait because of each plugin", () => {
    const counts = new Map<string, number>();
    const { queue, put, pop } = aQueue((plugins, by) => {
      for (const name of plugins) counts.set(name, (counts.get(name) ?? 0) + by);
    });
    put("a");
    put("b");
    queue.putRejected(pop(), byResources);
    queue.putRejected(pop(), new Set(["NodePorts", "NodeResourcesFit"]));
    expect(Object.fromEntries(counts)).toEqual({ NodeResourcesFit: 2, NodePorts: 1 });
    queue.remove("uid-b");
    expect(Object.fromEntries(counts)).toEqual({ NodeResourcesFit: 1, NodePorts: 0 });
    queue.stop();
  });

  test("a caller that waits for a pod is woken by a pod or ends with the signal", async () => {
    const { queue, put } = aQueue();
    const stop = new AbortController();
    const waiting = queue.waitUntilReady(stop.signal);
    put("web");
    await waiting;
    const attempted = queue.pop()!;
    const helped = queue.waitUntilReady(stop.signal);
    queue.putRejected(attempted, byResources);
    queue.onEvent({ is: "NodeAdd", node: aNode("a") });
    await helped;
    queue.pop();
    const second = queue.waitUntilReady(stop.signal).catch((error: unknown) => error);
    const reason = new Error("enough");
    stop.abort(reason);
    expect(await second).toBe(reason);
  });
});

describe("a pod that a plugin holds back", () => {
  const claim = { metadata: { name: "gpu", namespace: "default", uid: "u" }, spec: {} };
  const usesClaim = { spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] } };

  test("is gated until an event opens its gate, and counts as waiting for the plugin", () => {
    const waiting = new Map<string, number>();
    const count = (names: ReadonlySet<string>, by: 1 | -1) => {
      for (const name of names) waiting.set(name, (waiting.get(name) ?? 0) + by);
    };
    let isClosed = true;
    const { queue, put, popName, sizes } = aQueue(count, ({ pod }) =>
      isClosed && pod.spec?.resourceClaims !== undefined ? "DynamicResources" : undefined,
    );
    put("web", usesClaim);
    put("plain");
    expect([sizes(), popName(), popName()]).toEqual(["ready 1, backing off 0, waiting 0, gated 1", "plain", undefined]);
    expect(waiting.get("DynamicResources")).toBe(1);
    queue.onEvent({ is: "ResourceClaimAdd", claim });
    put("web", usesClaim);
    expect([sizes(), waiting.get("DynamicResources")]).toEqual(["ready 0, backing off 0, waiting 0, gated 1", 1]);
    isClosed = false;
    queue.onEvent({ is: "ResourceClaimAdd", claim: { ...claim, metadata: { ...claim.metadata, name: "other" } } });
    expect(popName()).toBeUndefined();
    queue.onEvent({ is: "ResourceClaimAdd", claim });
    expect([popName(), waiting.get("DynamicResources")]).toEqual(["web", 0]);
  });

  test("is dropped when it is removed", () => {
    const counts: number[] = [];
    const { queue, put, sizes } = aQueue(
      (names, by) => void (names.size > 0 && counts.push(by)),
      () => "DynamicResources",
    );
    put("web", usesClaim);
    queue.remove("uid-web");
    expect([sizes(), counts]).toEqual(["ready 0, backing off 0, waiting 0, gated 0", [1, -1]]);
  });
});

function aQueue(
  onRejected?: (plugins: ReadonlySet<string>, by: 1 | -1) => void,
  gatedBy?: (pod: PodInfo) => string | undefined,
) {
  const clock = new VirtualClock();
  const queue = new SchedulingQueue({
    clock,
    plugins: defaultPlugins,
    ...(onRejected === undefined ? {} : { onRejected }),
    ...(gatedBy === undefined ? {} : { gatedBy }),
  });
  const pop = (): QueuedPod => {
    const next = queue.pop();
    if (next === undefined) throw new Error("no pod is ready");
    return next;
  };
  return {
    clock,
    queue,
    pop,
    put: (name: string, details: PodDetails = {}) => queue.put(podInfo(name, details)),
    popName: () => queue.pop()?.pod.pod.metadata.name,
    sizes: () => {
      const { active, backoff, unschedulable, gated } = queue.sizes();
      return `ready ${active}, backing off ${backoff}, waiting ${unschedulable}, gated ${gated}`;
    },
  };
}
