import { type ControllerRevision, type Pod, controllerRevisionHashLabel } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { describe, expect, test } from "vitest";
import { crashVerdicts, failAtWrite, isWriteRequest } from "../../testing/fail-at-write.ts";
import { aNode, aPod } from "../../testing/test-cluster.ts";
import { anAgentTemplate, DaemonWorld, isReady } from "./testing/daemon-world.ts";

const three = ["a", "b", "c"];
const isPodCreation = ({ method, path }: HandlerRequest) => method === "POST" && path.includes("/pods");

async function startWith(...[nodes, spec]: ConstructorParameters<typeof DaemonWorld>): Promise<DaemonWorld> {
  const world = new DaemonWorld(nodes, spec);
  await world.start();
  return world;
}

describe("a daemon set controller", () => {
  test("has one pod on each node, records it, and updates the status", async () => {
    const world = await startWith(three);
    expect(world.running()).toEqual(["a agent:1", "b agent:1", "c agent:1"]);
    expect(world.set.status).toEqual({
      currentNumberScheduled: 3,
      numberMisscheduled: 0,
      desiredNumberScheduled: 3,
      numberReady: 3,
      observedGeneration: 1,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
      numberUnavailable: 0,
    });
    const names = world.active().map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name}`);
    expect(world.cluster.reasons().toSorted()).toEqual(names.toSorted());
    const [revision] = world.cluster.api.log.list("controllerrevisions") as ControllerRevision[];
    const hashes = world.active().map(({ metadata }) => metadata.labels?.[controllerRevisionHashLabel]);
    expect(new Set(hashes)).toEqual(new Set([revision?.metadata.labels?.[controllerRevisionHashLabel]]));
  });

  test("does not change a settled set", async () => {
    const world = await startWith(three);
    const before = world.cluster.api.log.revision;
    await world.clock.advance(3_600_000);
    expect(world.cluster.api.log.revision).toBe(before);
  });

  test("creates a pod for a node that joins, and removes the pod of a node that was deleted before the binding", async () => {
    const world = await startWith(["a"]);
    world.kubelets = false;
    world.cluster.put("nodes", aNode("b"));
    await world.settle();
    expect(world.running()).toEqual(["a agent:1", "b agent:1"]);
    world.cluster.remove("nodes", world.cluster.node("b"));
    await world.settle();
    expect([world.running(), world.set.status?.desiredNumberScheduled]).toEqual([["a agent:1"], 1]);
  });

  test("leaves the bound pods of a deleted node to the pod collector", async () => {
    const world = await startWith(["a", "b"]);
    world.cluster.remove("nodes", world.cluster.node("b"));
    await world.settle();
    expect(world.running()).toEqual(["a agent:1", "b agent:1"]);
  });

  test("keeps the pod of a silent node, and removes it from a node with another taint", async () => {
    const world = await startWith(["a", "b"]);
    world.taint(
      "a",
      { key: "node.kubernetes.io/unreachable", effect: "NoExecute" },
      { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
    );
    world.taint("b", { key: "example.com/reserved", effect: "NoSchedule" });
    await world.settle();
    expect(world.running()).toEqual(["a agent:1", "b agent:1"]);
    expect(world.set.status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    world.taint("b", { key: "example.com/reserved", effect: "NoExecute" });
    await world.settle();
    expect([world.running(), world.set.status?.numberMisscheduled]).toEqual([["a agent:1"], 0]);
    world.taint("b");
    await world.settle();
    expect(world.running()).toEqual(["a agent:1", "b agent:1"]);
  });

  test("follows the labels of nodes", async () => {
    const world = await startWith(["a", "b"], {
      template: anAgentTemplate("agent:1", { nodeSelector: { disk: "ssd" } }),
    });
    expect(world.running()).toEqual([]);
    world.changeNode("b", (node) => ({ ...node, metadata: { ...node.metadata, labels: { disk: "ssd" } } }));
    await world.settle();
    expect(world.running()).toEqual(["b agent:1"]);
    world.changeNode("b", (node) => ({ ...node, metadata: { ...node.metadata, labels: {} } }));
    await world.settle();
    expect(world.running()).toEqual([]);
  });

  test("replaces a deleted pod only after it is removed", async () => {
    const world = await startWith(["a"]);
    world.kubelets = false;
    const [pod] = world.active() as [Pod];
    const deleting = { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:01Z" } } as Pod;
    world.cluster.put("pods", deleting);
    await world.settle();
    expect(world.cluster.pods()).toHaveLength(1);
    world.cluster.remove("pods", deleting);
    await world.settle();
    expect(world.running()).toEqual(["a agent:1"]);
  });

  test("removes surplus pods on a node, the youngest first", async () => {
    const world = await startWith(["a"]);
    const [pod] = world.active() as [Pod];
    const { name: _, uid: __, ...metadata } = pod.metadata;
    const twin = { ...metadata, name: "twin", uid: "twin", creationTimestamp: "2030-01-01T00:00:00Z" };
    world.cluster.put("pods", { ...pod, metadata: twin } as Pod);
    await world.settle();
    expect(world.active().map(({ metadata: { name } }) => name)).toEqual([pod.metadata.name]);
  });

  test("adopts a pod of the node instead of creating one, and releases a relabelled pod", async () => {
    const world = new DaemonWorld(["a"], { updateStrategy: { type: "OnDelete" } });
    world.cluster.put("pods", aPod("by-hand", { node: "a", labels: { app: "agent" } }));
    await world.start();
    const adopted = world.cluster.find<Pod>("pods", "by-hand") as Pod;
    expect(adopted.metadata.ownerReferences?.[0]?.uid).toBe("uid-of-agent");
    expect(world.active()).toHaveLength(1);
    const pod = adopted;
    world.cluster.put("pods", { ...pod, metadata: { ...pod.metadata, labels: { app: "debug" } } } as Pod);
    await world.settle();
    expect(world.cluster.find<Pod>("pods", pod.metadata.name ?? "")?.metadata.ownerReferences).toBeUndefined();
    expect(world.active().filter(({ metadata }) => metadata.labels?.["app"] === "agent")).toHaveLength(1);
  });

  test("replaces failed pods with growing delays, reports each, and restarts the delay with another template", async () => {
    const world = await startWith(["a"]);
    world.kubelets = false;
    let failures = 0;
    const failAlways = async (forMs: number) => {
      for (let ms = 0; ms < forMs; ms += 100) {
        for (const pod of world.active()) {
          failures++;
          world.fail(pod);
        }
        for (const pod of world.cluster.pods()) if (pod.metadata.deletionTimestamp) world.cluster.remove("pods", pod);
        await world.clock.advance(100);
      }
    };
    await failAlways(60_000);
    // Failed pods are deleted immediately, then after 1, 2, 4, 8, 16 and 32 seconds.
    expect(failures).toBeGreaterThanOrEqual(6);
    expect(failures).toBeLessThanOrEqual(8);
    const reported = world.cluster.reasons().filter((reason) => reason.startsWith("FailedDaemonPod"));
    expect(reported.length).toBeGreaterThanOrEqual(failures - 1);
    expect(reported[0]).toMatch(
      /^FailedDaemonPod: Found failed daemon pod default\/agent-\w+ on node a, will try to kill it$/,
    );
    world.change({ template: anAgentTemplate("agent:2") });
    world.kubelets = true;
    await world.settle(2000);
    expect(world.running()).toEqual(["a agent:2"]);
  });

  test("reports failed creates, starts slowly, and recovers", async () => {
    const nodes = Array.from({ length: 20 }, (_, i) => `n${i}`);
    const world = new DaemonWorld(nodes);
    let tries = 0;
    world.cluster.interfere = (request) => (isPodCreation(request) && ++tries > 0 ? "refuse" : "pass");
    await world.start();
    await world.settle(3000);
    expect(tries).toBeLessThan(30);
    expect(world.cluster.reasons().some((reason) => reason.startsWith("FailedCreate: Error creating:"))).toBe(true);
    world.cluster.interfere = () => "pass";
    await world.settle(60_000);
    expect(world.active()).toHaveLength(20);
  });

  test("gives two pods different names, for any drawn random name", async () => {
    const world = new DaemonWorld(["n1", "n2"]);
    const { random } = world.cluster;
    const draw = random.integer.bind(random);
    let letters = 0;
    // The first ten random letters are equal, so the first two random names are equal.
    random.integer = (below) => (below === 27 && letters++ < 10 ? 0 : draw(below));
    await world.start();
    expect(new Set(world.cluster.pods().map(({ metadata }) => metadata.name)).size).toBe(2);
  });

  test("does not act on a set that is being deleted", async () => {
    const world = await startWith(["a"]);
    const { set } = world;
    world.cluster.put("daemonsets", {
      ...set,
      metadata: { ...set.metadata, deletionTimestamp: "2026-01-01T00:00:01Z" },
    });
    world.cluster.put("nodes", aNode("b"));
    await world.settle();
    expect(world.running()).toEqual(["a agent:1"]);
  });

  test("creates a single pod for a node that joins many others", async () => {
    const nodes = Array.from({ length: 200 }, (_, i) => `n${i}`);
    const world = await startWith(nodes);
    expect(world.active()).toHaveLength(200);
    const paths = world.cluster.paths.length;
    world.cluster.put("nodes", aNode("joined"));
    await world.settle();
    expect(world.active()).toHaveLength(201);
    const writes = world.cluster.paths.slice(paths).filter((path) => !path.startsWith("GET"));
    expect(writes.filter((path) => path.startsWith("POST"))).toHaveLength(1);
  });
});

describe("a rolling update of a daemon set", () => {
  const next = { template: anAgentTemplate("agent:2") };

  test.each([
    { maxUnavailable: 1, least: 4 },
    { maxUnavailable: 2, least: 3 },
    { maxUnavailable: "50%", least: 2 },
  ])("keeps all but $maxUnavailable of 5 pods", async ({ maxUnavailable, least }) => {
    const world = await startWith(["a", "b", "c", "d", "e"], {
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge: 0 } },
    });
    world.watchBounds();
    world.change(next);
    await world.settle(2000);
    expect(world.running().every((pod) => pod.endsWith("agent:2"))).toBe(true);
    expect([world.leastReady, world.mostOnNode, world.set.status?.updatedNumberScheduled]).toEqual([least, 1, 5]);
  });

  test("stops at a template that does not run, and rolls back", async () => {
    const world = await startWith(three);
    world.broken.add("agent:2");
    world.change(next);
    await world.settle(2000);
    expect(world.active().filter(isReady)).toHaveLength(2);
    world.change({ template: anAgentTemplate("agent:1") });
    await world.settle(2000);
    expect(world.running()).toEqual(["a agent:1", "b agent:1", "c agent:1"]);
    const revisions = world.cluster.api.log.list("controllerrevisions") as ControllerRevision[];
    expect(revisions.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual([2, 3]);
  });

  test("with a surge never has fewer ready pods, and runs two pods on at most as many nodes as allowed", async () => {
    const world = await startWith(three, {
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    world.watchBounds();
    world.change(next);
    await world.settle(2000);
    expect(world.running()).toEqual(["a agent:2", "b agent:2", "c agent:2"]);
    expect([world.leastReady, world.mostOnNode]).toEqual([3, 2]);
  });

  test("with the strategy OnDelete waits for a client to delete the pods", async () => {
    const world = await startWith(["a", "b"], { updateStrategy: { type: "OnDelete" } });
    world.change(next);
    await world.settle(2000);
    expect(world.running()).toEqual(["a agent:1", "b agent:1"]);
    expect(world.set.status?.updatedNumberScheduled).toBe(0);
    world.cluster.remove("pods", world.active()[0] as Pod);
    await world.settle();
    expect(
      world
        .running()
        .map((pod) => pod.slice(2))
        .toSorted(),
    ).toEqual(["agent:1", "agent:2"]);
  });

  test("waits until a new pod has been ready for minReadySeconds", async () => {
    const world = await startWith(["a", "b"], { minReadySeconds: 10 });
    await world.settle(15_000);
    expect(world.set.status?.numberAvailable).toBe(2);
    world.change(next);
    await world.settle(5000);
    expect(
      world
        .running()
        .map((pod) => pod.slice(2))
        .toSorted(),
    ).toEqual(["agent:1", "agent:2"]);
    await world.settle(20_000);
    expect(world.running()).toEqual(["a agent:2", "b agent:2"]);
  });

  test("keeps as many old revisions as the set specifies", async () => {
    const world = await startWith(["a"], { revisionHistoryLimit: 1 });
    for (const version of [2, 3, 4]) {
      world.change({ template: anAgentTemplate(`agent:${version}`) });
      await world.settle(1000);
    }
    const revisions = world.cluster.api.log.list("controllerrevisions") as ControllerRevision[];
    expect(revisions.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual([3, 4]);
  });
});

describe("a process that is killed around write k, for every k,", () => {
  test.each(crashVerdicts)("leaves one pod on each node (%s)", async (verdict) => {
    let crashes = 0;
    for (let k = 1; k <= 9; k++) {
      const world = new DaemonWorld(["a", "b", "c", "d"]);
      world.watchBounds();
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      await world.start();
      if (fault.reached()) crashes++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.start();
      await world.settle(60_000);
      expect({ k, running: world.running().length, most: world.mostOnNode }).toEqual({ k, running: 4, most: 1 });
      expect(world.set.status).toMatchObject({ numberReady: 4, updatedNumberScheduled: 4 });
    }
    expect(crashes).toBeGreaterThanOrEqual(5);
  });

  test.each(crashVerdicts)("keeps the bounds of a rolling update (%s)", async (verdict) => {
    let crashes = 0;
    for (let k = 1; k <= 12; k++) {
      const world = await startWith(["a", "b", "c", "d"]);
      world.watchBounds();
      const fault = failAtWrite(k, verdict);
      world.cluster.interfere = fault.interfere;
      world.change({ template: anAgentTemplate("agent:2") });
      await world.settle(2000);
      if (fault.reached()) crashes++;
      await world.cluster.kill();
      world.cluster.interfere = () => "pass";
      await world.start();
      await world.settle(60_000);
      const { leastReady, mostOnNode } = world;
      expect({ k, running: world.running(), leastReady, mostOnNode }).toEqual({
        k,
        running: ["a agent:2", "b agent:2", "c agent:2", "d agent:2"],
        leastReady: 3,
        mostOnNode: 1,
      });
    }
    expect(crashes).toBeGreaterThanOrEqual(9);
  });
});

test.each(["lose answer", "refuse", "late"] as const)(
  "a process that continues after an uncertain write keeps a single pod on each node (%s)",
  async (verdict) => {
    for (let k = 1; k <= 12; k++) {
      const world = new DaemonWorld(["a", "b", "c", "d"]);
      world.watchBounds();
      let writes = 0;
      world.cluster.interfere = (request) => (isWriteRequest(request) && ++writes === k ? verdict : "pass");
      await world.start();
      await world.settle(30_000);
      world.change({ template: anAgentTemplate("agent:2") });
      await world.settle(400_000);
      expect({ k, running: world.running().length, most: world.mostOnNode }).toEqual({ k, running: 4, most: 1 });
      expect(world.running().every((pod) => pod.endsWith("agent:2"))).toBe(true);
    }
  },
);
