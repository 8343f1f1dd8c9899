import {
  controllerReference,
  type Deployment,
  deployments,
  type OwnerReference,
  type ReplicaSet,
  replicaSets,
  type ReplicationController,
  replicationControllers,
  type StatefulSet,
  statefulSets,
} from "@kintsugi/api";
import { expect, test } from "vitest";
import { aDeployment } from "../../controllers/deployment/testing/rollout-world.ts";
import { aPod, aReplicaSet } from "../../testing/test-cluster.ts";
import { findKnownScale } from "./controller-scale.ts";
import { desiredHealthy } from "./desired-healthy.ts";

const web = aDeployment(4);
const of = (deployment: Deployment, set: ReplicaSet): ReplicaSet => ({
  ...set,
  metadata: { ...set.metadata, ownerReferences: [controllerReference(deployment, deployments)] },
});
const old = of(web, aReplicaSet("web-old", 3));
const fresh = of(web, aReplicaSet("web-new", 2));
const alone = aReplicaSet("alone", 7);
const pods = [aPod("a", { owner: old }), aPod("b", { owner: old }), aPod("c", { owner: fresh })];

const askedOf = (
  some: typeof pods,
  known: {
    sets?: ReplicaSet[];
    deployments?: Deployment[] | undefined;
    statefulSets?: StatefulSet[];
    replicationControllers?: ReplicationController[];
  },
) => {
  const finds = <T extends ReplicaSet | Deployment | StatefulSet | ReplicationController>(all: readonly T[]) => ({
    find: ({ name }: { name: string }) => all.find(({ metadata }) => metadata.name === name),
  });
  const sources = {
    replicaSets: finds(known.sets ?? [old, fresh, alone]),
    deployments: known.deployments && finds(known.deployments),
    statefulSets: finds(known.statefulSets ?? []),
    replicationControllers: finds(known.replicationControllers ?? []),
  };
  const findScale = (controller: OwnerReference) => findKnownScale(sources, controller, "default");
  return desiredHealthy({ metadata: {}, spec: { maxUnavailable: "25%" } }, some, findScale);
};
const expecting = (expectedPods: number, healthy: number) => ({
  isKnown: true,
  expectedPods,
  desiredHealthy: healthy,
  unmanaged: [],
});
const unknown = { isKnown: false, because: 'found no controllers for pod "a"' };

test("pods of all sets of a deployment count once by the deployment", () => {
  expect(askedOf(pods, { deployments: [web] })).toEqual(expecting(4, 3));
});

test("a set without a controller counts separately in addition to them", () => {
  expect(askedOf([...pods, aPod("d", { owner: alone })], { deployments: [web] })).toEqual(expecting(11, 8));
});

test("sets whose deployment is missing, has another UID, or is not served count by themselves", () => {
  const another = { ...web, metadata: { ...web.metadata, uid: "another" } };
  for (const known of [[], [another], undefined]) {
    expect(askedOf(pods, { deployments: known })).toEqual(expecting(5, 3));
  }
});

test("pods whose set is missing or has another UID cannot be counted", () => {
  const another = { ...old, metadata: { ...old.metadata, uid: "another" } };
  for (const sets of [[fresh], [another, fresh]]) {
    expect(askedOf(pods, { sets, deployments: [web] })).toEqual(unknown);
  }
});

test("pods of a stateful set count for it as long as it owns them", () => {
  const metadata = { name: "db", namespace: "default", uid: "uid-of-db" };
  const spec = { replicas: 8, selector: {}, template: {} };
  const owned = aPod("a");
  owned.metadata.ownerReferences = [controllerReference({ metadata }, statefulSets)];
  expect(askedOf([owned], { statefulSets: [{ metadata, spec }] })).toEqual(expecting(8, 6));
  const another = { metadata: { ...metadata, uid: "another" }, spec };
  expect(askedOf([owned], { statefulSets: [another] })).toEqual(unknown);
});

test("pods of a replication controller count for it as long as it owns them", () => {
  const metadata = { name: "old", namespace: "default", uid: "uid-of-old" };
  const spec = { replicas: 8 };
  const owned = aPod("a");
  owned.metadata.ownerReferences = [controllerReference({ metadata }, replicationControllers)];
  expect(askedOf([owned], { replicationControllers: [{ metadata, spec }] })).toEqual(expecting(8, 6));
  const another = { metadata: { ...metadata, uid: "another" }, spec };
  expect(askedOf([owned], { replicationControllers: [another] })).toEqual(unknown);
});

test("an owner of another group is not the workload of the same kind and name", () => {
  const owned = aPod("a");
  owned.metadata.ownerReferences = [controllerReference(alone, { ...replicaSets, group: "example.com" })];
  expect(askedOf([owned], {})).toEqual(unknown);
});
