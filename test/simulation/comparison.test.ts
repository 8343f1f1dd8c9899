import { Census, differences, type Scenario } from "@kintsugi/simulation";
import { compareScenario, drawScenario } from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";
import { aPod, aSet, openWorld } from "./planted-world.ts";
import { sampleOf } from "../support/samples.ts";

const second = 1000;

const scenario: Scenario = {
  name: "compared",
  seed: 7,
  profile: "fast",
  mode: "liveness",
  nodes: [{ name: "node-1" }, { name: "node-2" }, { name: "node-3" }],
  workloads: [{ name: "web", replicas: 6, cpu: "100m" }],
  faults: [],
  durationMs: 60 * second,
  world: { bus: true, leaderElection: true, latencyMaxMs: 40 },
};

describe("a run under faults ends as the same run without faults", () => {
  test("services that crash and pause do not change the final objects, and do not add or remove a pod", async () => {
    const faults = [
      { fault: "kill-service", target: "controller-manager", atMs: 0, forMs: 5 * second },
      { fault: "kill-service", target: "scheduler", atMs: 2 * second, forMs: 5 * second },
      { fault: "kill-service", target: "api-server", atMs: 10 * second, forMs: 8 * second },
      { fault: "kill-kubelet", target: "node-1", atMs: 20 * second, forMs: 2 * second },
      { fault: "bus-in-disorder", atMs: 25 * second, forMs: 20 * second },
    ];
    const { run, reference, differences: found } = await compareScenario({ ...scenario, faults });
    expect([run.failure, reference.failure]).toEqual([undefined, undefined]);
    expect(found).toEqual([]);
  });

  test("a node that is down for long costs one replacement for each of its pods", async () => {
    const faults = [{ fault: "kill-node", target: "node-2", atMs: 0, forMs: 30 * second }];
    const { run, differences: found } = await compareScenario({ ...scenario, faults });
    expect(run.failure).toBeUndefined();
    expect(found).toEqual([]);
  });

  test.each(sampleOf([2, 8], 2))("for the faults of seed %i", async (seed) => {
    const { run, differences: found } = await compareScenario(drawScenario(seed, { profile: "fast" }));
    expect(run.failure).toBeUndefined();
    expect(found).toEqual([]);
  });
});

describe("a different end is detected when it is planted", () => {
  async function anEnd(plant: (world: ReturnType<typeof openWorld>) => Promise<unknown>) {
    const world = openWorld();
    const census = new Census({ store: world.store });
    await world.putSet(aSet(2));
    await world.putPod(aPod("web-1", { owned: true, ip: "10.0.0.1", restarts: 1 }));
    await plant(world);
    return census.take();
  }
  const other = (world: ReturnType<typeof openWorld>) => world.putPod(aPod("web-2", { owned: true, nodeName: "n1" }));
  const disrupted = [{ type: "DisruptionTarget", status: "True" as const }];

  test("names, addresses, nodes, restart counts and UIDs do not count", async () => {
    const reference = await anEnd(other);
    const run = await anEnd((world) => world.putPod(aPod("web-9", { owned: true, ip: "10.0.0.7", restarts: 5 })));
    expect(differences(reference, run)).toEqual([]);
  });

  test("a surplus pod, a different pod, a missing object, and a temporary object are detected", async () => {
    const reference = await anEnd(other);
    const more = await anEnd(async (world) => [await other(world), await world.putPod(aPod("web-3", { owned: true }))]);
    expect(differences(reference, more)[0]).toBe(
      "pods of ReplicaSet default/web: there are 3 objects, and without faults 2",
    );
    const changed = await anEnd((world) => world.putPod(aPod("web-2", { owned: true, phase: "Failed" })));
    expect(differences(reference, changed)).toHaveLength(1);
    expect(differences(reference, changed)[0]).toMatch(
      /^pods of ReplicaSet default\/web is .*"Failed".*, and without faults /,
    );
    const missing = await anEnd(async (world) => [
      await other(world),
      await world.remove("apps/replicasets/default/web", aSet(2)),
    ]);
    expect(differences(reference, missing)[0]).toBe(
      "apps/replicasets/default/web: there are 0 objects, and without faults 1",
    );
    const restless = await anEnd(async (world) => {
      await world.putPod(aPod("web-2", { owned: true }));
      await world.removePod(aPod("web-2", { owned: true }));
      await world.putPod(aPod("web-3", { owned: true }));
    });
    expect(differences(reference, restless)).toEqual([
      "pods of ReplicaSet default/web: 3 were created, and 2 are explained by the run without faults and by 0 disruptions",
      "pods of ReplicaSet default/web: 1 were deleted, and 0 are explained by the run without faults and by 0 disruptions",
    ]);
  });

  test("a pod that was lost with a node may be replaced", async () => {
    const run = await anEnd(async (world) => {
      await world.putPod(aPod("web-2", { owned: true }));
      await world.removePod(aPod("web-2", { owned: true, conditions: disrupted }));
      await world.putPod(aPod("web-3", { owned: true }));
    });
    expect(differences(await anEnd(other), run)).toEqual([]);
  });

  test("a surplus or unusable endpoint is detected, but not which pods are behind a Service", async () => {
    const aSlice = (name: string, ...endpoints: [pod: string, ready: boolean][]) =>
      anEnd((world) =>
        world.put(`discovery.k8s.io/endpointslices/default/${name}`, {
          metadata: {
            name,
            namespace: "default",
            ownerReferences: [{ apiVersion: "v1", kind: "Service", name: "web", uid: "service", controller: true }],
          },
          addressType: "IPv4",
          endpoints: endpoints.map(([pod, ready], index) => ({
            addresses: [`10.0.0.${pod.length + index}`],
            conditions: { ready },
            targetRef: { kind: "Pod", name: pod },
          })),
        }),
      );
    const reference = await aSlice("web-a", ["web-1", true], ["web-2", false]);
    expect(differences(reference, await aSlice("web-b", ["web-17", false], ["web-9", true]))).toEqual([]);
    for (const run of [await aSlice("web-b", ["web-1", true]), await aSlice("web-b", ["web-1", true], ["web-2", true])])
      expect(differences(reference, run)).toEqual([
        expect.stringMatching(/^endpointslices of Service default\/web is /),
      ]);
  });
});
