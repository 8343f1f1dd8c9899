import type { ClusterRole } from "@kintsugi/api";
import { expect, test } from "vitest";
import { ControllerTestCluster } from "../../testing/test-cluster.ts";
import { clusterRoleAggregationController } from "./controller.ts";

const rule = (resource: string) => ({ apiGroups: [""], resources: [resource], verbs: ["get"] });

function aRole(name: string, more: Partial<ClusterRole> = {}, labels: Record<string, string> = {}): ClusterRole {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name, uid: `uid-of-${name}`, labels },
    ...more,
  };
}

const gathers = (...labels: Record<string, string>[]) => ({
  aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
});

async function startWith(...roles: ClusterRole[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  for (const role of roles) cluster.put("clusterroles", role);
  await cluster.start(clusterRoleAggregationController);
  await cluster.clock.settle();
  return cluster;
}

const rulesOf = (cluster: ControllerTestCluster, name: string) =>
  cluster.find<ClusterRole>("clusterroles", name, "")?.rules?.map(({ resources }) => resources?.join());

test("a role aggregates the rules of the selected roles by name, without duplicates, and drops them when these roles are removed", async () => {
  const cluster = await startWith(
    aRole("all", gathers({ a: "1" }, { b: "1" })),
    aRole("z", { rules: [rule("pods"), rule("nodes")] }, { a: "1" }),
    aRole("y", { rules: [rule("pods"), rule("secrets")] }, { b: "1" }),
    aRole("x", { rules: [rule("services")] }, { a: "2" }),
  );
  expect(rulesOf(cluster, "all")).toEqual(["pods", "secrets", "nodes"]);
  cluster.put("clusterroles", aRole("x", { rules: [rule("services")] }, { a: "1" }));
  await cluster.clock.settle();
  expect(rulesOf(cluster, "all")).toEqual(["services", "pods", "secrets", "nodes"]);
  cluster.remove("clusterroles", aRole("y"));
  await cluster.clock.settle();
  expect(rulesOf(cluster, "all")).toEqual(["services", "pods", "nodes"]);
  await cluster.stop();
});

test("rules written by hand are overwritten, and a chain of aggregated roles settles", async () => {
  const cluster = await startWith(
    aRole("top", { ...gathers({ to: "top" }), rules: [rule("by-hand")] }, { to: "top" }),
    aRole("middle", gathers({ to: "middle" }), { to: "top" }),
    aRole("source", { rules: [rule("pods")] }, { to: "middle" }),
  );
  expect(rulesOf(cluster, "middle")).toEqual(["pods"]);
  expect(rulesOf(cluster, "top")).toEqual(["pods"]);
  await cluster.stop();
});

test("a role without an aggregationRule is ignored, and nothing is written twice", async () => {
  const cluster = await startWith(
    aRole("mine", { rules: [rule("pods")] }, { a: "1" }),
    aRole("all", gathers({ a: "1" })),
  );
  expect(cluster.paths.filter((path) => path.startsWith("PUT"))).toEqual([
    "PUT /apis/rbac.authorization.k8s.io/v1/clusterroles/all",
  ]);
  await cluster.stop();
});
