import { findCondition, type Namespace, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNamespace, aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { namespaceController } from "./controller.ts";

function setUp() {
  const cluster = new ControllerTestCluster();
  cluster.put("namespaces", aNamespace("default"));
  cluster.put("namespaces", aNamespace("other"));
  cluster.put("replicasets", aReplicaSet("web", 0));
  cluster.put("configmaps", { metadata: { name: "c", namespace: "default", uid: "c" } });
  cluster.put("configmaps", { metadata: { name: "c", namespace: "other", uid: "d" } });
  const stored = (name: string) => cluster.find<Namespace>("namespaces", name, "");
  const condition = (type: string) => findCondition(stored("default")?.status?.conditions, type);
  return { cluster, clock: cluster.clock, stored, condition };
}

describe("a namespace that is being deleted", () => {
  test("is emptied and finalized, and no other namespace changes", async () => {
    const { cluster, clock, stored } = setUp();
    await cluster.start(namespaceController);
    cluster.put("namespaces", aNamespace("default", { terminating: true }));
    await clock.advance(1000);
    expect(cluster.api.log.list("configmaps").map(({ metadata }) => metadata.namespace)).toEqual(["other"]);
    expect(cluster.api.log.list("replicasets")).toEqual([]);
    expect([stored("default")?.spec?.finalizers, stored("other")?.spec?.finalizers]).toEqual([[], ["kubernetes"]]);
    expect(cluster.paths).toContain("PUT /api/v1/namespaces/default/finalize");
  });

  test("keeps everything else until its pods no longer exist, and states the reason of the wait", async () => {
    const { cluster, clock, stored, condition } = setUp();
    const pod = aPod("p", { node: "n" });
    cluster.put("pods", { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: 30 } } as Pod);
    await cluster.start(namespaceController);
    cluster.put("namespaces", aNamespace("default", { terminating: true }));
    await clock.advance(100_000);
    expect(cluster.find<Pod>("pods", "p")?.metadata.deletionTimestamp).toBeDefined();
    expect(cluster.find("configmaps", "c")).toBeDefined();
    expect(stored("default")?.spec?.finalizers).toEqual(["kubernetes"]);
    expect(condition("NamespaceContentRemaining")).toMatchObject({
      status: "True",
      reason: "SomeResourcesRemain",
      message: "Some resources are remaining: pods has 1 resource instances",
    });
    cluster.remove("pods", cluster.find("pods", "p") as Pod);
    await clock.advance(1);
    expect(stored("default")?.spec?.finalizers).toEqual([]);
    expect(condition("NamespaceContentRemaining")?.status).toBe("False");
  });

  test("waits for other finalizers and names them", async () => {
    const { cluster, clock, stored, condition } = setUp();
    const metadata = { name: "held", namespace: "default", uid: "held", finalizers: ["example.com/hold"] };
    cluster.interfere = (request) => {
      if (request.method !== "DELETE" || !request.path.endsWith("/held")) return "pass";
      cluster.put("configmaps", { metadata: { ...metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
      return "refuse";
    };
    cluster.put("configmaps", { metadata });
    await cluster.start(namespaceController);
    cluster.put("namespaces", aNamespace("default", { terminating: true }));
    await clock.advance(60_000);
    expect(stored("default")?.spec?.finalizers).toEqual(["kubernetes"]);
    expect(condition("NamespaceFinalizersRemaining")).toMatchObject({
      status: "True",
      message: "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    });
    cluster.remove("configmaps", { metadata });
    await clock.advance(20_000);
    expect(stored("default")?.spec?.finalizers).toEqual([]);
  });

  test("is finalized by the next process if this process crashes at any write", async () => {
    for (let k = 1; k <= 5; k++) {
      const { cluster, clock, stored } = setUp();
      let writes = 0;
      cluster.interfere = (request) => (request.method !== "GET" && ++writes >= k ? "hang" : "pass");
      await cluster.start(namespaceController);
      cluster.put("namespaces", aNamespace("default", { terminating: true }));
      await clock.advance(1000);
      await cluster.kill();
      cluster.interfere = () => "pass";
      await cluster.start(namespaceController);
      await clock.advance(60_000);
      expect([k, stored("default")?.spec?.finalizers, cluster.find("configmaps", "c")]).toEqual([k, [], undefined]);
    }
  });

  test("is not changed unless it is being deleted", async () => {
    const { cluster, clock } = setUp();
    await cluster.start(namespaceController);
    const before = cluster.api.log.revision;
    await clock.advance(600_000);
    expect(cluster.api.log.revision).toBe(before);
  });
});
