import {
  type ApiObject,
  controllerReference,
  daemonSets,
  deployments,
  formatTimestamp,
  jobs,
  type Pod,
  type PodDisruptionBudget,
  replicationControllers,
  type ResourceType,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import { aDeployment } from "../deployment/testing/rollout-world.ts";
import { aReplicationController } from "../../shared/replicas/testing/replicated-kinds.ts";
import { aPod, aReplicaSet, ControllerTestCluster } from "../../testing/test-cluster.ts";
import { disruptionController } from "./controller.ts";

const set = aReplicaSet("web", 4);
const budget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default", uid: "uid-of-budget", generation: 1 },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } } },
};

async function aCluster(...pods: Pod[]): Promise<ControllerTestCluster> {
  const cluster = new ControllerTestCluster();
  cluster.put("replicasets", set);
  cluster.put("poddisruptionbudgets", budget);
  for (const pod of pods) cluster.put("pods", pod);
  await cluster.start(disruptionController);
  await cluster.clock.settle();
  return cluster;
}

const four = ["a", "b", "c", "d"].map((name) => aPod(name, { owner: set }));
const told = (cluster: ControllerTestCluster) =>
  cluster.find<PodDisruptionBudget>("poddisruptionbudgets", "web")?.status;

test("a budget's status counts the pods that may be disrupted, and is updated when they change", async () => {
  const cluster = await aCluster(...four);
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4, observedGeneration: 1 });
  cluster.put("pods", aPod("a", { owner: set, ready: false }));
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3 });
  cluster.put("pods", aPod("a", { owner: set, labels: { app: "else" } }));
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ currentHealthy: 3 });
  cluster.put("replicasets", aReplicaSet("web", 3));
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 1, desiredHealthy: 2, expectedPods: 3 });
  await cluster.stop();
});

test("a budget is not written while its pods do not change", async () => {
  const cluster = await aCluster(...four);
  const writes = () => cluster.paths.filter((path) => path.startsWith("PUT")).length;
  const before = writes();
  cluster.put("pods", { ...four[0]!, metadata: { ...four[0]!.metadata, annotations: { seen: "yes" } } });
  await cluster.clock.advance(60_000);
  expect(writes()).toBe(before);
  await cluster.stop();
});

test("an eviction that did not happen is returned to the budget after two minutes with an event", async () => {
  const cluster = await aCluster(...four);
  // The pods were created in the clock's first second; the API server records a later second.
  await cluster.clock.advance(1000);
  const disruptedPods = { a: formatTimestamp(cluster.clock.nowMs()) };
  const live = cluster.find<PodDisruptionBudget>("poddisruptionbudgets", "web");
  cluster.put("poddisruptionbudgets", {
    ...budget,
    ...live,
    status: { ...live?.status, disruptionsAllowed: 0, disruptedPods },
  } as PodDisruptionBudget);
  await cluster.clock.advance(60_000);
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 0, disruptedPods });
  await cluster.clock.advance(61_000);
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 1 });
  expect(told(cluster)?.disruptedPods).toBeUndefined();
  expect(cluster.reasons()).toContain("NotDeleted: Pod was expected by PDB default/web to be deleted but it wasn't");
  await cluster.stop();
});

test("a budget without pods reports it", async () => {
  const cluster = await aCluster();
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0 });
  expect(cluster.reasons()).toContain("NoPods: No matching pods found");
  await cluster.stop();
});

test("a budget reports each event once, however often it is inspected", async () => {
  const cluster = await aCluster(aPod("bare"));
  const unmanaged = () => cluster.reasons().filter((reason) => reason.startsWith("UnmanagedPods"));
  expect(unmanaged()).toHaveLength(1);
  cluster.put("pods", { ...aPod("bare"), metadata: { ...aPod("bare").metadata, annotations: { looked: "at" } } });
  await cluster.clock.settle();
  expect(unmanaged()).toHaveLength(1);
  await cluster.stop();
});

test("a budget that cannot count pods names the pods without a controller and the pods with an unknown owner", async () => {
  const cluster = await aCluster(...four, aPod("bare"));
  expect(cluster.reasons()).toContainEqual(
    expect.stringContaining(
      "UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found to be unmanaged.",
    ),
  );
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 2, expectedPods: 4 });
  cluster.remove("replicasets", set);
  await cluster.clock.settle();
  expect(cluster.reasons()).toContainEqual(
    expect.stringMatching(
      /^CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: found no controllers for pod "/,
    ),
  );
  expect(told(cluster)).toMatchObject({ disruptionsAllowed: 0, expectedPods: 4 });
  await cluster.stop();
});

test("during a rollout a budget uses the size of the Deployment and not of its sets, and is updated when the Deployment is scaled", async () => {
  const cluster = new ControllerTestCluster();
  const deployment = aDeployment(4);
  const reference = controllerReference(deployment, deployments);
  const ofIt = (name: string, replicas: number) => {
    const made = aReplicaSet(name, replicas);
    return { ...made, metadata: { ...made.metadata, ownerReferences: [reference] } };
  };
  const [old, fresh] = [ofIt("web-old", 3), ofIt("web-new", 2)];
  cluster.put("deployments", deployment);
  for (const one of [old, fresh]) cluster.put("replicasets", one);
  cluster.put("poddisruptionbudgets", budget);
  for (const name of ["a", "b", "c"]) cluster.put("pods", aPod(name, { owner: old }));
  for (const name of ["d", "e"]) cluster.put("pods", aPod(name, { owner: fresh }));
  await cluster.start(disruptionController);
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 2 });
  cluster.put("deployments", { ...deployment, spec: { ...deployment.spec, replicas: 6 } } as typeof deployment);
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ expectedPods: 6, desiredHealthy: 5, disruptionsAllowed: 0 });
  cluster.remove("deployments", deployment);
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ expectedPods: 5, desiredHealthy: 4, disruptionsAllowed: 1 });
  await cluster.stop();
});

function ownedBy(owner: ApiObject, type: ResourceType, name: string): Pod {
  const pod = aPod(name);
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [controllerReference(owner, type)] } };
}

test("a budget counts by a replication controller and is updated when that is scaled", async () => {
  const cluster = new ControllerTestCluster();
  cluster.put("replicationcontrollers", aReplicationController("old", 2));
  cluster.put("poddisruptionbudgets", budget);
  for (const name of ["a", "b"])
    cluster.put("pods", ownedBy(aReplicationController("old", 2), replicationControllers, name));
  await cluster.start(disruptionController);
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ expectedPods: 2, desiredHealthy: 1, disruptionsAllowed: 1 });
  cluster.put("replicationcontrollers", aReplicationController("old", 3));
  await cluster.clock.settle();
  expect(told(cluster)).toMatchObject({ expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 0 });
  await cluster.stop();
});

test.each([
  [daemonSets, "daemonsets.apps does not implement the scale subresource"],
  [jobs, "jobs.batch does not implement the scale subresource"],
] as const)("a budget over pods of %s reports that their number is unknown", async (type, because) => {
  const cluster = new ControllerTestCluster();
  const owner = { metadata: { name: "owner", namespace: "default", uid: "uid-of-owner" }, spec: {} };
  cluster.put(type.resource, owner);
  cluster.put("poddisruptionbudgets", budget);
  cluster.put("pods", ownedBy(owner, type as ResourceType, "a"));
  await cluster.start(disruptionController);
  await cluster.clock.settle();
  expect(cluster.reasons()).toEqual([
    `CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: ${because}`,
  ]);
  expect(told(cluster)).toMatchObject({
    disruptionsAllowed: 0,
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "SyncFailed", message: because }],
  });
  await cluster.stop();
});
