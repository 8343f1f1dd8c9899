import { expect, test } from "vitest";
import { makePicture } from "../../picture/make-picture.ts";
import type { RawObject } from "../../source/raw-object.ts";
import { singlePoints } from "./single-points.ts";

const zone = "topology.kubernetes.io/zone";
const node = (name: string): RawObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { [zone]: `zone-${name}` } },
});

function volume(name: string, where: string): RawObject {
  const term = { matchExpressions: [{ key: zone, operator: "In", values: [where] }] };
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      storageClassName: "disk",
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      hostPath: { path: "/d" },
      nodeAffinity: { required: { nodeSelectorTerms: [term] } },
    },
  };
}

function operator(name: string, replicas: number): RawObject {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "db" },
    spec: { replicas, selector: { matchLabels: { app: name } }, template },
  };
}

const storageClass = (name: string, ...zones: string[]): RawObject => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: "disks.example.com",
  allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: zones }] }],
});

function pointsOf(...objects: RawObject[]): string[] {
  const all = [node("a"), node("b"), ...objects];
  return singlePoints(makePicture({ name: "f", objects: all, listed: [], isWhole: true }), []).map(({ what }) => what);
}

test("the only replica of an operator and a storage class in one zone are hidden single points of failure", () => {
  expect(pointsOf(operator("postgres-operator", 1), volume("x", "zone-a"), volume("y", "zone-a"))).toEqual([
    "db/deployment/postgres-operator",
    "storage class disk",
  ]);
});

test("two replicas, volumes in two zones, and names that only contain the word are not single points", () => {
  expect(pointsOf(operator("postgres-operator", 2), operator("controllers-page", 1))).toEqual([]);
  expect(pointsOf(volume("x", "zone-a"), volume("y", "zone-b"))).toEqual([]);
});

test("an operator that is a StatefulSet counts, and so does a class whose topologies allow only one zone", () => {
  const set = { ...operator("elastic-operator", 1), kind: "StatefulSet" };
  expect(pointsOf(set, storageClass("fast", "zone-a"), storageClass("wide", "zone-a", "zone-b"))).toEqual([
    "db/statefulset/elastic-operator",
    "storage class fast",
  ]);
});
