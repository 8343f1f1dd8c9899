import {
  clusterRoleBindings,
  clusterRoles,
  type Node,
  nodes,
  type Pod,
  podDisruptionBudgets,
  pods,
  policyRule,
  profiles,
  roleBindings,
} from "@kintsugi/api";
import { drainNode, type NodeDrainOptions } from "@kintsugi/cli/factory";
import { type Client } from "@kintsugi/client";
import { explainObject } from "@kintsugi/explanation";
import { readWorld } from "@kintsugi/explanation/reading";
import { describe, expect, test } from "vitest";
import { startApiInMemory } from "../support/servers/api-in-memory.ts";

const options: NodeDrainOptions = {
  ignoreDaemonSets: true,
  deleteEmptyDirData: false,
  force: true,
  // Pods are not ended by a kubelet here, so they have to be removed immediately.
  gracePeriodSeconds: 0,
  timeoutMs: undefined,
  podSelector: undefined,
  dryRun: "none",
  reportConditions: true,
};
const n1 = { namespace: "", name: "n1" };

describe("a drain", () => {
  test("that is interrupted reports it, and continues when it is repeated", async () => {
    await using cluster = await startCluster();
    await cluster.allow(0);
    const first = cluster.drain(cluster.admin);
    await cluster.clock.advance(3000);
    expect(await cluster.drainConditions()).toEqual(["DrainInProgress=True", "Drained=False"]);
    first.interrupt();
    await cluster.clock.advance(1000);
    await expect(first.done).rejects.toThrow(
      "node n1 remains cordoned, and `kintsugi drain n1 --name lab` continues the drain",
    );
    expect(await cluster.drainConditions()).toEqual(["DrainInProgress=False", "Drained=False"]);
    const { spec, status } = await cluster.admin.get(nodes, n1);
    expect(spec?.unschedulable).toBe(true);
    expect(status?.conditions?.find(({ type }) => type === "Drained")?.reason).toBe("KintsugiDrainInterrupted");
    expect(status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");

    await cluster.allow(1);
    const second = cluster.drain(cluster.admin);
    await cluster.clock.advance(3000);
    await second.done;
    expect(await cluster.drainConditions()).toEqual(["DrainInProgress=False", "Drained=True"]);
    expect((await cluster.admin.list(pods)).items).toEqual([]);
  });

  test("names the budget once, and times out", async () => {
    await using cluster = await startCluster();
    await cluster.allow(0);
    const drain = cluster.drain(cluster.admin, { timeoutMs: 5000 });
    await cluster.clock.advance(7000);
    await expect(drain.done).rejects.toThrow("1 pod of node n1 did not end in time: default/p");
    const waits = drain.lines.filter((line) => line.startsWith("waiting to evict"));
    expect(waits).toEqual([
      "waiting to evict default/p: The budget web allows no eviction: 2 pods of 3 are healthy, and it requires 2. It waits for 1 more healthy pod.",
    ]);
  });

  test("explains a pod that does not terminate", async () => {
    await using cluster = await startCluster();
    await cluster.allow(1);
    const key = { namespace: "default", name: "p" };
    const body = { metadata: { finalizers: ["example.com/backup"] } };
    await cluster.admin.patch(pods, key, { type: "merge", body });
    const drain = cluster.drain(cluster.admin, { timeoutMs: 5000 });
    await cluster.clock.advance(20_000);
    await expect(drain.done).rejects.toThrow("did not end in time");
    expect(drain.lines.at(-1)).toMatch(
      /^pod default\/p: It was deleted, but a finalizer keeps it: example\.com\/backup\. One of these actions may help: kubectl --context kintsugi-lab -n default patch pod\/p /,
    );
  });

  test("of a caller that may not write the status of nodes succeeds with a warning", async () => {
    await using cluster = await startCluster();
    await cluster.allow(1);
    await cluster.grant("mover", [
      policyRule("get patch", "core", "nodes"),
      policyRule("list", "core", "pods"),
      policyRule("create", "core", "pods/eviction"),
      policyRule("list", "apps", "daemonsets"),
    ]);
    const drain = cluster.drain(cluster.clientOf("mover"));
    await cluster.clock.advance(3000);
    await drain.done;
    expect(drain.lines.filter((line) => line.startsWith("warning"))).toHaveLength(2);
    expect((await cluster.admin.list(pods)).items).toEqual([]);
    expect(await cluster.drainConditions()).toEqual([]);
  });

  test.each(["client", "server"] as const)("that is a dry run by the %s does not change an object", async (dryRun) => {
    await using cluster = await startCluster();
    await cluster.allow(0);
    const before = await cluster.admin.get(nodes, n1);
    const drain = cluster.drain(cluster.admin, { dryRun });
    await drain.done;
    expect(drain.lines).toEqual([
      "deleting Pods that declare no controller: default/p",
      `node n1 would be cordoned (${dryRun === "server" ? "server dry run" : "dry run"})`,
      dryRun === "server"
        ? "pod default/p would have to wait for its budget (server dry run)"
        : "pod default/p would be evicted (dry run)",
    ]);
    expect(await cluster.admin.get(nodes, n1)).toEqual(before);
    expect((await cluster.admin.list(pods)).items).toHaveLength(1);
  });

  test("does not evict any pod if a pod cannot be evicted", async () => {
    await using cluster = await startCluster();
    await cluster.allow(1);
    const drain = cluster.drain(cluster.admin, { force: false });
    await expect(drain.done).rejects.toThrow(
      "node n1 is not drained: cannot delete Pods that declare no controller (use --force to override): default/p",
    );
    expect((await cluster.admin.get(nodes, n1)).spec?.unschedulable).toBeUndefined();
  });
});

test("a node may write these conditions of its own Node, as in Kubernetes, but not of another Node", async () => {
  await using cluster = await startCluster();
  const body = { status: { conditions: [{ type: "Drained", status: "True" }] } };
  const patch = { type: "strategic", body } as const;
  await cluster.clientOf("system:node:n1", ["system:nodes"]).patch(nodes, n1, patch, { subresource: "status" });
  expect(await cluster.drainConditions()).toEqual(["Drained=True"]);
  const other = cluster.clientOf("system:node:n2", ["system:nodes"]);
  await expect(other.patch(nodes, n1, patch, { subresource: "status" })).rejects.toThrow(
    "is not allowed to modify node",
  );
});

test("a caller with rights in one namespace gets an explanation with notes about the rest", async () => {
  await using cluster = await startCluster();
  await cluster.admin.create(roleBindings, {
    metadata: { name: "viewers", namespace: "default" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "viewer" }],
  });
  const message = "0/1 nodes are available: 1 Insufficient cpu.";
  const condition = { type: "PodScheduled", status: "False" as const, reason: "Unschedulable", message };
  await cluster.createPod("big", {
    spec: { containers: [{ name: "c", image: "busybox" }] },
    status: { conditions: [condition] },
  });
  const viewer = cluster.clientOf("viewer");
  const object = await viewer.get(pods, { namespace: "default", name: "big" });
  const read = await readWorld(
    viewer,
    { resource: "pods", object },
    { timers: profiles.fast, nowMs: () => cluster.clock.nowMs() },
  );
  const { reasons, unread } = explainObject("pods", object, read);
  expect(reasons[0]).toMatchObject({ code: "Unschedulable", details: ["1 Insufficient cpu."] });
  expect(unread.map((line) => line.split(":")[0])).toEqual([
    "nodes of the cluster",
    "leases of the namespace kube-node-lease",
    "storageclasses of the cluster",
    "persistentvolumes of the cluster",
    "pods of the cluster",
    "namespaces of the cluster",
    "csinodes of the cluster",
    "volumeattachments of the cluster",
  ]);
  // The room on the node is evaluated only with all rights.
  const whole = await readWorld(cluster.admin, { resource: "pods", object }, { timers: profiles.fast, nowMs: () => 0 });
  expect(whole.unread).toEqual([]);
  expect(explainObject("pods", object, whole).reasons[0]?.because).toBe("The only node does not fit.");
});

async function startCluster() {
  const { clock, stop, serving, clientOf } = await startApiInMemory({
    advertised: { address: "10.0.0.1", port: 6443 },
    serviceClusterIpRange: "10.96.0.0/16",
  });
  const admin = clientOf("admin", ["system:masters"]);
  const node: Node = { metadata: { name: "n1" }, status: { conditions: [{ type: "Ready", status: "True" }] } };
  await admin.create(nodes, node);
  const createPod = async (name: string, { spec, status }: Pick<Pod, "spec" | "status">) => {
    const metadata = { name, namespace: "default", labels: { app: "web" } };
    await admin.create(pods, { metadata, ...(spec === undefined ? {} : { spec }) });
    await admin.patch(pods, metadata, { type: "merge", body: { status } }, { subresource: "status" });
  };
  await createPod("p", {
    spec: { nodeName: "n1", containers: [{ name: "c", image: "busybox" }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  const budget = { namespace: "default", name: "web" };
  await admin.create(podDisruptionBudgets, {
    metadata: budget,
    spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
  });
  return {
    clock,
    admin,
    clientOf,
    createPod,
    /** Sets the number of disruptions that the budget allows, as its controller would. */
    allow: (disruptionsAllowed: number) =>
      admin.patch(
        podDisruptionBudgets,
        budget,
        {
          type: "merge",
          body: {
            status: {
              disruptionsAllowed,
              currentHealthy: 2,
              desiredHealthy: 2,
              expectedPods: 3,
              observedGeneration: 1,
            },
          },
        },
        { subresource: "status" },
      ),
    grant: async (name: string, rules: ReturnType<typeof policyRule>[]) => {
      await admin.create(clusterRoles, { metadata: { name }, rules });
      const apiGroup = "rbac.authorization.k8s.io";
      await admin.create(clusterRoleBindings, {
        metadata: { name },
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects: [{ apiGroup, kind: "User", name }],
      });
    },
    drain: (client: Client, more: Partial<NodeDrainOptions> = {}) => {
      const abort = new AbortController();
      const lines: string[] = [];
      const done = drainNode(
        { client, clock, say: (line) => lines.push(line), signal: abort.signal, way: { name: "lab" } },
        "n1",
        {
          ...options,
          ...more,
        },
      );
      done.catch(() => {});
      return { done, lines, interrupt: () => abort.abort(new Error("interrupted")) };
    },
    drainConditions: async () =>
      ((await admin.get(nodes, n1)).status?.conditions ?? [])
        .filter(({ type }) => type.startsWith("Drain"))
        .map(({ type, status }) => `${type}=${status}`),
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the test is over"));
      await serving;
    },
  };
}
