import { isPodActive, type Pod, type ReplicaSet, type ReplicationController } from "@kintsugi/api";
import type { HandlerRequest } from "@kintsugi/client";
import { describe, expect, test } from "vitest";
import { crashVerdicts, failAtWrite } from "../../testing/fail-at-write.ts";
import { aPod, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { replicatedKinds } from "./testing/replicated-kinds.ts";

type Replicated = ReplicaSet | ReplicationController;

const isPodCreation = (request: HandlerRequest) => request.method === "POST" && request.path.includes("/pods");

describe.each(replicatedKinds)("$kind", ({ controller, resource, make }) => {
  /** A cluster that counts the maximum of pods that were active at one revision. */
  function setUp(replicas: number) {
    const cluster = new ControllerTestCluster();
    cluster.put(resource, make("web", replicas));
    let mostActive = 0;
    cluster.api.log.subscribe(() => (mostActive = Math.max(mostActive, active().length)));
    const active = () => cluster.pods().filter((pod) => isPodActive(pod));
    const scale = (count: number) => {
      const set = stored();
      const spec = { ...(set.spec ?? { selector: {} }), replicas: count };
      const generation = (set.metadata.generation ?? 0) + 1;
      cluster.put(resource, { ...set, metadata: { ...set.metadata, generation }, spec } as Replicated);
    };
    const stored = () => cluster.find<Replicated>(resource, "web") as Replicated;
    return { cluster, clock: cluster.clock, active, scale, stored, mostActive: () => mostActive };
  }

  describe("a set of pods", () => {
    test("creates missing pods, reports them, and updates the status", async () => {
      const { cluster, clock, active, stored } = setUp(3);
      await cluster.start(controller);
      await clock.advance(1000);
      expect(active()).toHaveLength(3);
      const names = active().map((pod) => pod.metadata.name);
      expect(cluster.reasons().toSorted()).toEqual(
        names.map((name) => `SuccessfulCreate: Created pod: ${name}`).toSorted(),
      );
      expect(stored().status).toMatchObject({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    });

    test("replaces a deleted pod once, while it is still terminating", async () => {
      const { cluster, clock, active } = setUp(2);
      await cluster.start(controller);
      await clock.advance(1000);
      const [victim] = active() as [Pod, Pod];
      cluster.put("pods", {
        ...victim,
        metadata: { ...victim.metadata, deletionTimestamp: "2026-01-01T00:00:01Z" },
      } as Pod);
      await clock.advance(1000);
      expect([active().length, cluster.pods().length]).toEqual([2, 3]);
      cluster.remove("pods", victim);
      await clock.advance(1000);
      expect(cluster.pods()).toHaveLength(2);
    });

    test("is counted at intervals while many pods of a large set change, and is correct at the end", async () => {
      const { cluster, clock, active, stored } = setUp(1000);
      await cluster.start(controller);
      await clock.advance(5000);
      const before = cluster.api.requests.length;
      for (const pod of active().slice(0, 100)) {
        const conditions = [{ type: "Ready", status: "True" as const }];
        cluster.put("pods", { ...pod, status: { ...pod.status, conditions } } as Pod);
        await clock.advance(1);
      }
      await clock.advance(100);
      const written = cluster.api.requests.slice(before).filter((request) => request.startsWith("PUT"));
      // A pod that changes each millisecond for 100 ms, and a pause of 10 ms.
      expect(written.length).toBeGreaterThan(6);
      expect(written.length).toBeLessThan(14);
      expect(stored().status?.readyReplicas).toBe(100);
    });

    test("deletes surplus pods", async () => {
      const { cluster, clock, active, scale } = setUp(4);
      await cluster.start(controller);
      await clock.advance(1000);
      scale(1);
      await clock.advance(1000);
      expect(active()).toHaveLength(1);
      expect(cluster.reasons().filter((reason) => reason.startsWith("SuccessfulDelete"))).toHaveLength(3);
    });

    test("adopts matching pods and releases pods that no longer match", async () => {
      const { cluster, clock, active } = setUp(2);
      cluster.put("pods", aPod("by-hand", { node: "n1" }));
      await cluster.start(controller);
      await clock.advance(1000);
      expect(active()).toHaveLength(2);
      const adopted = cluster.find<Pod>("pods", "by-hand") as Pod;
      expect(adopted.metadata.ownerReferences?.[0]?.uid).toBe("uid-of-web");
      cluster.put("pods", { ...adopted, metadata: { ...adopted.metadata, labels: { app: "debug" } } } as Pod);
      await clock.advance(1000);
      expect(cluster.find<Pod>("pods", "by-hand")?.metadata.ownerReferences).toBeUndefined();
      expect(active().filter((pod) => pod.metadata.labels?.["app"] === "web")).toHaveLength(2);
    });

    test("does not adopt pods for a set that no longer exists, although its cache still has it", async () => {
      const { cluster, clock, stored } = setUp(1);
      await cluster.start(controller);
      await clock.advance(1000);
      cluster.interfere = (request) => (request.path.includes("watch=true") ? "hang" : "pass");
      const set = stored();
      cluster.remove(resource, set);
      cluster.put(resource, { ...set, metadata: { ...set.metadata, uid: "another" } } as Replicated);
      cluster.put("pods", aPod("by-hand", { node: "n1" }));
      await clock.advance(1000);
      expect(cluster.find<Pod>("pods", "by-hand")?.metadata.ownerReferences?.[0]?.uid).not.toBe("uid-of-web");
    });

    test("states why a create fails, retries with growing delays, and recovers", async () => {
      const { cluster, clock, active, stored } = setUp(8);
      cluster.interfere = (request) => (isPodCreation(request) ? "refuse" : "pass");
      await cluster.start(controller);
      await clock.advance(10_000);
      const tries = cluster.events.length;
      expect(stored().status?.conditions?.[0]).toMatchObject({ type: "ReplicaFailure", reason: "FailedCreate" });
      // One pod per try, not eight: a set that cannot create pods starts slowly.
      expect(tries).toBeLessThan(30);
      cluster.interfere = () => "pass";
      await clock.advance(60_000);
      expect([active().length, stored().status?.conditions]).toEqual([8, undefined]);
    });

    test("counts pods as available after minReadySeconds, to the second", async () => {
      const { cluster, clock, active, stored } = setUp(1);
      cluster.put(resource, make("web", 1, { minReadySeconds: 30 }));
      await cluster.start(controller);
      await clock.advance(1000);
      const [pod] = active() as [Pod];
      const { status } = aPod("x", { readySinceMs: clock.nowMs() });
      cluster.put("pods", { ...pod, status } as Pod);
      await clock.advance(29_999);
      expect(stored().status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
      await clock.advance(1);
      expect(stored().status).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    });

    test("replaces rejected pods at upstream's rate, and not as fast as the kubelet rejects them", async () => {
      const { cluster, clock } = setUp(1);
      const turnedAwayMax = 500;
      const turnedAway = () => cluster.pods().filter(({ status }) => status?.phase === "Failed").length;
      cluster.api.log.subscribe(() => {
        const fresh = cluster.pods().find((pod) => isPodActive(pod));
        if (!fresh || turnedAway() === turnedAwayMax) return;
        const { spec } = fresh;
        const status = { phase: "Failed", reason: "TaintToleration" };
        cluster.put("pods", { ...fresh, spec: { ...spec, nodeName: "n1" }, status } as Pod);
      });
      await cluster.start(controller);
      await clock.advance(10);
      expect(turnedAway()).toBe(31);
      await clock.advance(10_000);
      expect(turnedAway()).toBe(231);
    });

    test("is completed immediately, however many of its pods it deleted before they ran", async () => {
      const { cluster, clock, active, scale } = setUp(100);
      await cluster.start(controller);
      await clock.advance(10);
      for (const pod of active()) cluster.put("pods", { ...pod, spec: { ...pod.spec, nodeName: "n1" } } as Pod);
      scale(0);
      await clock.advance(10);
      expect(active()).toHaveLength(0);
      scale(100);
      await clock.advance(10);
      expect(active()).toHaveLength(100);
    });

    test("does not change a settled set", async () => {
      const { cluster, clock } = setUp(5);
      await cluster.start(controller);
      await clock.advance(10_000);
      const before = cluster.api.log.revision;
      await clock.advance(3_600_000);
      expect(cluster.api.log.revision).toBe(before);
    });
  });

  describe("never more pods than requested", () => {
    // 7 pods are created in batches of 1, 2 and 4; with the status writes between them about ten
    // writes.

    test.each(crashVerdicts)(
      "when the process crashes around write k of a scale-up, for every k (%s)",
      async (verdict) => {
        let crashes = 0;
        for (let k = 1; k <= 12; k++) {
          const { cluster, clock, active, scale, mostActive } = setUp(0);
          await cluster.start(controller);
          await clock.advance(1000);
          const fault = failAtWrite(k, verdict);
          cluster.interfere = fault.interfere;
          scale(7);
          await clock.advance(20);
          if (fault.reached()) crashes++;
          await cluster.kill();
          cluster.interfere = () => "pass";
          await clock.advance(15_000);
          await cluster.start(controller);
          await clock.advance(60_000);
          expect({ k, active: active().length, most: mostActive() }).toEqual({ k, active: 7, most: 7 });
        }
        expect(crashes).toBeGreaterThanOrEqual(7);
      },
    );

    test("when the response to a creation is lost and the process continues", async () => {
      for (let k = 1; k <= 7; k++) {
        const { cluster, clock, active, mostActive } = setUp(7);
        let creations = 0;
        cluster.interfere = (request) => (isPodCreation(request) && ++creations === k ? "lose answer" : "pass");
        await cluster.start(controller);
        await clock.advance(60_000);
        expect({ k, active: active().length, most: mostActive() }).toEqual({ k, active: 7, most: 7 });
      }
    });

    test("when a creation takes effect long after it timed out", async () => {
      const { cluster, clock, active, mostActive } = setUp(3);
      const late: HandlerRequest[] = [];
      cluster.interfere = (request) => {
        if (!isPodCreation(request) || late.length > 0) return "pass";
        late.push(request);
        return "refuse";
      };
      await cluster.start(controller);
      await clock.advance(60_000);
      const [request] = late as [HandlerRequest];
      await cluster.api.handle({ ...request, signal: new AbortController().signal });
      await clock.advance(60_000);
      expect([active().length, mostActive()]).toEqual([3, 3]);
    });

    test("when the watch of pods is silent for an hour (kubernetes#129795)", async () => {
      const { cluster, clock, active, scale, mostActive } = setUp(2);
      await cluster.start(controller);
      await clock.advance(1000);
      cluster.interfere = (request) =>
        request.path.includes("/pods") && request.path.includes("watch=true") ? "hang" : "pass";
      cluster.api.endWatches();
      await clock.advance(2000);
      scale(5);
      await clock.advance(3_600_000);
      scale(4);
      await clock.advance(3_600_000);
      scale(6);
      await clock.advance(3_600_000);
      expect([active().length, mostActive()]).toEqual([6, 6]);
      cluster.interfere = () => "pass";
      await clock.advance(3_600_000);
      expect([active().length, mostActive()]).toEqual([6, 6]);
    });

    test("when two processes act as the leader", async () => {
      const { cluster, clock, active } = setUp(5);
      await cluster.start(controller, controller);
      await clock.advance(60_000);
      expect(active()).toHaveLength(5);
    });
  });

  test("a poisoned set does not delay other sets", async () => {
    const { cluster, clock } = setUp(1);
    cluster.put(resource, { ...make("poison", 1), spec: null } as unknown as Replicated);
    cluster.put(resource, make("runaway", 1, { selector: { matchLabels: { app: "other" } } }));
    cluster.put(resource, make("good", 1));
    await cluster.start(controller);
    await clock.advance(1000);
    const makers = cluster.pods().map((pod) => pod.metadata.generateName);
    expect(new Set(makers)).toEqual(new Set(["good-", "web-"]));
  });
});
