import { type ApiObject, type ConfigMap, formatTimestamp, type OwnerReference, type Pod } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { aNode, aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { garbageCollector } from "./controller.ts";

function configMap(name: string, owners: OwnerReference[], traits: Partial<ConfigMap["metadata"]> = {}): ConfigMap {
  return { metadata: { name, namespace: "default", uid: `uid-of-${name}`, ownerReferences: owners, ...traits } };
}

function ownedBy(
  kind: "ConfigMap" | "ReplicaSet" | "Node" | "Widget",
  name: string,
  uid = `uid-of-${name}`,
): OwnerReference {
  const apiVersion = kind === "ReplicaSet" ? "apps/v1" : kind === "Widget" ? "example.com/v1" : "v1";
  return { apiVersion, kind, name, uid, blockOwnerDeletion: true };
}

/** Removes deleted objects once their last finalizer is removed, like the API server. */
function finishDeletions(cluster: ControllerTestCluster): void {
  cluster.api.log.subscribe(({ type, resource, object }) => {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (type === "DELETED" || deletionTimestamp === undefined || finalizers.length > 0) return;
    cluster.clock.after(0, () => {
      if (cluster.find(resource, object.metadata.name ?? "", object.metadata.namespace))
        cluster.remove(resource, object);
    });
  });
}

function deleting(object: ApiObject, finalizer: "foregroundDeletion" | "orphan"): ApiObject {
  const metadata = { ...object.metadata, deletionTimestamp: formatTimestamp(0), finalizers: [finalizer] };
  return { ...object, metadata };
}

describe("the garbage collector", () => {
  test("deletes the dependents of a deleted owner, and their own dependents in turn", async () => {
    const cluster = new ControllerTestCluster();
    const set = aReplicaSet("web", 1);
    cluster.put("replicasets", set);
    cluster.put("pods", aPod("p", { owner: set }));
    cluster.put("configmaps", configMap("of-pod", [{ ...ownedBy("ConfigMap", "p"), kind: "Pod" }]));
    cluster.put("configmaps", configMap("free", []));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(60_000);
    expect(cluster.pods()).toHaveLength(1);
    cluster.remove("replicasets", set);
    await cluster.clock.advance(1000);
    expect(cluster.pods()).toEqual([]);
    expect(cluster.api.log.list("configmaps").map(({ metadata }) => metadata.name)).toEqual(["free"]);
  });

  test("removes leftovers after a restart", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("leases", {
      metadata: { name: "gone", namespace: "kube-node-lease", uid: "l", ownerReferences: [ownedBy("Node", "gone")] },
    });
    cluster.put("nodes", aNode("there"));
    cluster.put("leases", {
      metadata: { name: "there", namespace: "kube-node-lease", uid: "m", ownerReferences: [ownedBy("Node", "there")] },
    });
    await cluster.start(garbageCollector);
    await cluster.clock.advance(1000);
    expect(cluster.api.log.list("leases").map(({ metadata }) => metadata.name)).toEqual(["there"]);
  });

  test("treats an owner of the same name with another UID as another owner", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("configmaps", configMap("owner", []));
    cluster.put("configmaps", configMap("child", [ownedBy("ConfigMap", "owner", "earlier-uid")]));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(1000);
    expect(cluster.find("configmaps", "child")).toBeUndefined();
  });

  test("does not delete an object because of its cache alone", async () => {
    const cluster = new ControllerTestCluster();
    const owner = configMap("owner", []);
    cluster.put("configmaps", owner);
    cluster.put("pods", {
      ...aPod("p"),
      metadata: { ...aPod("p").metadata, ownerReferences: [ownedBy("ConfigMap", "owner")] },
    } as Pod);
    await cluster.start(garbageCollector);
    await cluster.clock.advance(1000);
    cluster.remove("configmaps", owner);
    cluster.put("configmaps", owner);
    await cluster.clock.advance(120_000);
    expect(cluster.pods()).toHaveLength(1);
  });

  test("keeps objects whose owners have kinds that are not served", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("configmaps", configMap("child", [ownedBy("Widget", "w")]));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(600_000);
    expect(cluster.find("configmaps", "child")).toBeDefined();
  });

  test("rejects and reports an owner in another namespace", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("configmaps", configMap("owner", [], { namespace: "other" }));
    cluster.put("configmaps", configMap("child", [ownedBy("ConfigMap", "owner")]));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(1000);
    expect(cluster.api.log.find("configmaps", "default", "child")).toBeUndefined();
    expect(cluster.reasons()).toEqual([
      'OwnerRefInvalidNamespace: ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: uid-of-owner] does not exist in namespace "default"',
    ]);
  });

  test("never deletes a cluster-scoped object for a namespaced owner", async () => {
    const cluster = new ControllerTestCluster();
    const node = aNode("n");
    cluster.put("nodes", {
      ...node,
      metadata: { ...node.metadata, ownerReferences: [ownedBy("ConfigMap", "x")] },
    } as ApiObject);
    await cluster.start(garbageCollector);
    await cluster.clock.advance(600_000);
    expect(cluster.find("nodes", "n", "")).toBeDefined();
    expect(cluster.reasons()[0]).toContain("OwnerRefInvalidNamespace");
  });

  test("removes only the reference to the missing owner if another owner exists", async () => {
    const cluster = new ControllerTestCluster();
    cluster.put("configmaps", configMap("stays", []));
    cluster.put("configmaps", configMap("child", [ownedBy("ConfigMap", "gone"), ownedBy("ConfigMap", "stays")]));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(1000);
    expect(cluster.find("configmaps", "child")?.metadata.ownerReferences).toEqual([ownedBy("ConfigMap", "stays")]);
  });

  test("deletes the dependents first when an owner is deleted in the foreground", async () => {
    const cluster = new ControllerTestCluster();
    finishDeletions(cluster);
    const order: string[] = [];
    cluster.api.log.subscribe(({ type, object }) => type === "DELETED" && order.push(object.metadata.name ?? ""));
    const set = aReplicaSet("web", 1);
    cluster.put("replicasets", set);
    cluster.put("pods", aPod("p", { owner: set }));
    await cluster.start(garbageCollector);
    cluster.put("replicasets", deleting(set, "foregroundDeletion"));
    await cluster.clock.advance(1000);
    expect(order).toEqual(["p", "web"]);
  });

  test("releases the dependents when the owner orphans them", async () => {
    const cluster = new ControllerTestCluster();
    finishDeletions(cluster);
    const set = aReplicaSet("web", 1);
    cluster.put("replicasets", set);
    cluster.put("pods", aPod("p", { owner: set }));
    await cluster.start(garbageCollector);
    cluster.put("replicasets", deleting(set, "orphan"));
    await cluster.clock.advance(60_000);
    expect(cluster.find("replicasets", "web")).toBeUndefined();
    expect(cluster.find("pods", "p")?.metadata.ownerReferences).toBeUndefined();
  });

  test("resolves a cycle of owners when an owner in the cycle is deleted", async () => {
    const cluster = new ControllerTestCluster();
    finishDeletions(cluster);
    cluster.put("configmaps", configMap("a", [ownedBy("ConfigMap", "b")]));
    cluster.put("configmaps", configMap("b", [ownedBy("ConfigMap", "a")]));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(60_000);
    expect(cluster.api.log.list("configmaps")).toHaveLength(2);
    cluster.remove("configmaps", cluster.find("configmaps", "a") as ApiObject);
    await cluster.clock.advance(1000);
    expect(cluster.api.log.list("configmaps")).toEqual([]);
  });

  test("does not change a settled cluster", async () => {
    const cluster = new ControllerTestCluster();
    const set = aReplicaSet("web", 1);
    cluster.put("replicasets", set);
    cluster.put("pods", aPod("p", { owner: set }));
    await cluster.start(garbageCollector);
    await cluster.clock.advance(10_000);
    const before = cluster.api.log.revision;
    await cluster.clock.advance(3_600_000);
    expect(cluster.api.log.revision).toBe(before);
  });
});
