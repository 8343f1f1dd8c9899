import { formatTimestamp, type Pod, pods } from "@kintsugi/api";
import { expect, test } from "vitest";
import { WorkloadIndex } from "../model/workloads.ts";
import { startState } from "../model/start-state.ts";
import { nodesFromFlag } from "../source/nodes-flag.ts";
import type { RawObject } from "../source/raw-object.ts";
import { makePicture, type PictureSource } from "./make-picture.ts";
import { isKnown, objectsOf, podsAreUnknown } from "./picture.ts";
import { dumpCommand, readingRole } from "./ways-to-read.ts";

const nodes = nodesFromFlag("2x4cpu16Gi");
const source = (objects: readonly RawObject[], rest: Partial<PictureSource> = {}): PictureSource => ({
  name: "f",
  objects: [...nodes, ...objects],
  listed: [],
  isWhole: false,
  ...rest,
});
const aPod = (name: string, metadata: object = {}): RawObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: name, ...metadata },
  spec: { nodeName: "node-1", containers: [{ name: "c", image: "i" }] },
});
const budgets = { resource: "poddisruptionbudgets" };

test("a kind without an object is unknown, unless its list was read or the source is complete", () => {
  expect(isKnown(makePicture(source([aPod("a")])), budgets)).toBe(false);
  expect(isKnown(makePicture(source([aPod("a")])), pods)).toBe(true);
  expect(isKnown(makePicture(source([], { isWhole: true })), budgets)).toBe(true);
  const of = { apiVersion: "policy/v1", kind: "PodDisruptionBudget" };
  expect(isKnown(makePicture(source([], { listed: [of] })), budgets)).toBe(true);
  const refused = makePicture(source([], { listed: [{ ...of, refused: "you may not list these objects" }] }));
  expect(isKnown(refused, budgets)).toBe(false);
  expect(refused.kinds.find(({ resource }) => resource === budgets.resource)?.because).toBe(
    "poddisruptionbudgets: you may not list these objects; not known: the budgets that block drains",
  );
});

test("pods that a source lacks are created from its workloads, with a note; an empty list of pods counts as a missing list", () => {
  const silent = makePicture(source([]));
  expect(podsAreUnknown(silent)).toBe(true);
  expect(silent.notes.join()).toMatch(/contains no pods: they were created from its workloads/);
  const empty = makePicture(source([], { listed: [{ apiVersion: "v1", kind: "Pod" }] }));
  expect([podsAreUnknown(empty), empty.notes]).toEqual([false, []]);
});

test("owners in a cycle are named with a remedy, and each pod still has one workload", () => {
  const replicaSet = (name: string, owner: string): RawObject => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "shop", uid: name, ownerReferences: [ownerOf(owner)] },
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: {} } },
  });
  const ownerOf = (name: string) => ({ apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: name, controller: true });
  const picture = makePicture(
    source([replicaSet("r", "s"), replicaSet("s", "r"), aPod("p", { ownerReferences: [ownerOf("r")] })]),
  );
  expect(picture.notes.join()).toMatch(/own each other in a circle.*remove one ownerReference/);
  expect(picture.notes).toHaveLength(1);
  const [pod] = objectsOf(picture, pods);
  expect(pod && new WorkloadIndex(picture.objects).of(pod).name).toBe("shop/replicaset/s");
});

test("an object of an unknown version, kind or shape is named, and the others are read", () => {
  const picture = makePicture(
    source([
      { apiVersion: "policy/v1beta1", kind: "PodDisruptionBudget", metadata: { name: "old", namespace: "shop" } },
      { apiVersion: "cert-manager.io/v1", kind: "Certificate", metadata: { name: "c" } },
      { ...aPod("bad"), spec: { containers: "none" } },
      aPod("good"),
    ]),
  );
  expect(objectsOf(picture, pods).map(({ metadata }) => metadata.name)).toEqual(["good"]);
  expect(picture.unmodelled.map(({ kind }) => kind)).toEqual(["Certificate", "PodDisruptionBudget"]);
  expect(picture.leftOut).toEqual([
    "PodDisruptionBudget shop/old is in policy/v1beta1, which is not supported: dump it in policy/v1",
    expect.stringMatching(/^Pod shop\/bad is left out: .*cannot unmarshal string into Go struct field PodSpec/),
  ]);
});

test("a workload that no API server accepts is left out, and a Job of a manifest gets the selector that an API server generates", () => {
  const template = { metadata: { labels: { app: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const of = (apiVersion: string, kind: string, spec: object): RawObject => ({
    apiVersion,
    kind,
    metadata: { name: "a", namespace: "shop" },
    spec: { template, ...spec },
  });
  const picture = makePicture(
    source([
      of("apps/v1", "Deployment", { selector: { matchLabels: { app: "a" } } }),
      of("apps/v1", "ReplicaSet", { replicas: -1 }),
      of("batch/v1", "Job", { template: { spec: { ...template.spec, restartPolicy: "Never" } } }),
    ]),
  );
  expect(picture.leftOut).toEqual([
    "Deployment shop/a is left out: its selector does not match the labels of its template, which no API server accepts: make them equal",
    "ReplicaSet shop/a is left out: its spec.replicas is -1, which no API server accepts: write 0 or more",
  ]);
  const job = startState(picture).objects.find(({ kind }) => kind.type.kind === "Job")?.object;
  expect(job).toMatchObject({
    spec: {
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "job-shop-a" } },
      template: { metadata: { labels: { "batch.kubernetes.io/controller-uid": "job-shop-a", "job-name": "a" } } },
    },
  });
});

test("pods of nodes that the source does not show are counted as left out", () => {
  const picture = makePicture(source([{ ...aPod("p"), spec: { nodeName: "gone", containers: [] } }, aPod("q")]));
  expect(picture.leftOut).toEqual([expect.stringMatching(/^1 pod on nodes that the source does not contain/)]);
});

test("a source without nodes reports the missing objects", () => {
  expect(() => makePicture({ ...source([]), objects: [aPod("a")] })).toThrow(
    /1 object but no Node: describe the nodes/,
  );
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n", creationTimestamp: "yesterday" } };
  expect(() => makePicture({ ...source([]), objects: [aPod("a"), node] })).toThrow(
    /contains 1 Node, of which none can be read: Node n is left out: .*yesterday/,
  );
  expect(() => makePicture({ ...source([]), objects: [] })).toThrow(
    /contains no objects: `kintsugi rehearse --print-dump-command`/,
  );
});

test("the time of a source is derived from its objects, except for a clock that is far ahead", () => {
  const at = (time: string) => ({ creationTimestamp: time });
  const times = ["2026-03-01T10:00:00Z", "2026-03-01T10:05:00Z", "2026-03-01T10:01:00Z", "2099-01-01T00:00:00Z"];
  const picture = makePicture(source(times.map((time, index) => aPod(`p${index}`, at(time)))));
  expect(formatTimestamp(picture.takenAtMs)).toBe("2026-03-01T10:05:00Z");
  expect(picture.notes).toEqual([expect.stringMatching(/^1 times in the source are later than .*a clock is wrong/)]);
});

test("owners that own each other still end in a workload", () => {
  const owner = (uid: string) => [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: uid, uid, controller: true }];
  const set = (name: string, by: string): RawObject => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "shop", uid: name, ownerReferences: owner(by) },
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } } } },
  });
  const picture = makePicture(source([set("a", "b"), set("b", "a"), aPod("p", { ownerReferences: owner("a") })]));
  const [pod] = objectsOf(picture, pods);
  expect(pod && new WorkloadIndex(picture.objects).of(pod).name).toMatch(/^shop\/replicaset\/[ab]$/);
});

test("the start state keeps UIDs and owners, and drops programs, variables and files", () => {
  const secret = { name: "S", valueFrom: { secretKeyRef: { name: "s", key: "k" } } };
  const start = startState(
    makePicture(
      source([
        {
          ...aPod("p"),
          spec: { nodeName: "node-1", containers: [{ name: "c", image: "i", env: [secret], command: ["x"] }] },
        },
      ]),
    ),
  );
  const pod = start.objects.find(({ kind }) => kind.type.resource === "pods")?.object;
  expect(pod?.metadata.uid).toBe("p");
  expect(JSON.stringify(pod)).not.toMatch(/secretKeyRef|"command"/);
});

test("the role and the dump command list the read kinds, and neither includes Secrets or ConfigMaps", () => {
  expect(readingRole()).not.toMatch(/secrets|configmaps|create|update|patch|delete|watch|exec/);
  expect(dumpCommand()).not.toMatch(/secrets|configmaps/);
  expect(dumpCommand().match(/kubectl (?!get --raw|could)/)).toBeNull();
});

test("pod counts that no node could run are limited and named", () => {
  const far = 2_147_483_647;
  const of = (apiVersion: string, kind: string, name: string, spec: object): RawObject => ({
    apiVersion,
    kind,
    metadata: { name, namespace: "shop", uid: name },
    spec,
  });
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const selector = { matchLabels: { a: "b" } };
  const job = { parallelism: far, template: { spec: { ...template.spec, restartPolicy: "Never" } } };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "small" };
  const picture = makePicture(
    source([
      of("apps/v1", "Deployment", "huge", { replicas: far, selector, template }),
      of("apps/v1", "Deployment", "small", { replicas: 300, selector, template }),
      of("apps/v1", "StatefulSet", "huge", { replicas: far, selector, template, serviceName: "x" }),
      of("batch/v1", "Job", "huge", job),
      of("batch/v1", "CronJob", "huge", { schedule: "* * * * *", jobTemplate: { spec: job } }),
      of("autoscaling/v2", "HorizontalPodAutoscaler", "huge", { minReplicas: far, maxReplicas: far, scaleTargetRef }),
    ]),
  );
  const named = picture.leftOut.map((note) => note.split(" requests ")[0]);
  expect(named).toEqual([
    "deployments shop/huge",
    "statefulsets shop/huge",
    "jobs shop/huge",
    "cronjobs shop/huge",
    "horizontalpodautoscalers shop/huge",
  ]);
  const text = JSON.stringify([...picture.objects.values()]);
  // Two nodes with 110 pods each, and 200 that wait.
  expect(text.match(/"(replicas|parallelism|minReplicas)":420\b/g)).toHaveLength(4);
  // A Job starts only a few of them at a time, so it behaves the same with these as with all.
  expect(text.match(/"parallelism":50\b/g)).toHaveLength(1);
  expect(text).toContain('"replicas":300');
});

test("a pod whose owner is not part of the rehearsal keeps the owner's name", () => {
  const raw = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "db-0",
      namespace: "shop",
      ownerReferences: [{ apiVersion: "x/v1", kind: "Cluster", name: "postgres", uid: "c", controller: true }],
    },
    spec: { containers: [{ name: "c", image: "i" }] },
  };
  const start = startState(makePicture(source([raw])));
  const pod = start.objects.find(({ kind }) => kind.type.kind === "Pod")?.object;
  expect(pod?.metadata.ownerReferences).toBeUndefined();
  expect(pod && new WorkloadIndex(new Map()).of(pod as Pod).unmodelledOwner).toBe("Cluster postgres");
});

test("a node whose capacity is not in the source is named, because no pod fits on it", () => {
  const bare = { apiVersion: "v1", kind: "Node", metadata: { name: "bare" }, status: { capacity: {} } };
  const whole = { ...bare, metadata: { name: "whole" }, status: { allocatable: { cpu: "4", pods: "110" } } };
  const picture = makePicture({ name: "f", objects: [bare, whole], listed: [], isWhole: true });
  expect(picture.leftOut).toEqual([
    "the capacity of node bare, so no further pod fits there: dump nodes with their status",
  ]);
});
