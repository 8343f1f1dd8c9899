import { expect, test } from "vitest";
import { startState } from "../model/start-state.ts";
import { summarize } from "../outcomes/summarize.ts";
import type { Answer, WorkloadAnswer } from "../outcomes/summarize.ts";
import { makePicture } from "../picture/make-picture.ts";
import type { RawObject } from "../source/raw-object.ts";
import { commandOf, proposeChanges } from "./propose-changes.ts";

const metadata = { name: "web", namespace: "shop" };
const node: RawObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
const claim: RawObject = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "shop" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const question = { kind: "nodes-off", about: "node n fails", nodes: ["n"] } as const;

function deployment(spec: object, replicas = 1): RawObject {
  const labels = { app: "web" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

function proposed(objects: RawObject[], rest: Partial<Answer> & { downAtEnd?: number } = {}) {
  const start = startState(makePicture({ name: "f", objects: [node, ...objects], listed: [], isWhole: true }));
  const { downAtEnd = 0, ...fields } = rest;
  const downtime = { p50: 300_000, p95: 300_000, worst: 300_000 };
  const web = { workload: "shop/deployment/web", kind: "Deployment", downtime, downAtEnd } as WorkloadAnswer;
  return proposeChanges(start, [{ ...summarize(question, []), workloads: [web], ...fields }]);
}

const volumes = { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] };

test("one replica becomes two, unless its volume lets no second pod run on another node", () => {
  expect(proposed([deployment({})]).map(({ what }) => what)).toEqual([
    "2 replicas of shop/deployment/web, on different nodes",
  ]);
  expect(proposed([deployment(volumes), claim]).map(({ what }) => what)).toEqual([
    "shop/deployment/web tolerates a silent node for only 30 s",
  ]);
});

test("a workload that a lost node blocks forever is released by a user's confirmation", () => {
  const stuck = [
    { pod: "shop/web-1", workload: "shop/deployment/web", nodeName: "n", because: "", isTerminating: true },
  ];
  const [change] = proposed([deployment(volumes), claim], { downAtEnd: 1, stuck });
  expect(change && commandOf(change)).toBe(
    "kubectl taint node n node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
  );
  expect(change?.instead?.[0]).toMatchObject({ faults: [{ fault: "fence-node", target: "n", stays: true }] });
});

test("a StatefulSet that lacks a pod forever gets the same offer once, after all others", () => {
  const stuck = [
    { pod: "shop/db-1", workload: "shop/statefulset/db", nodeName: "n", because: "", isTerminating: true },
  ];
  const db = { workload: "shop/statefulset/db", kind: "StatefulSet", degradedAtEnd: 1, downAtEnd: 0 } as WorkloadAnswer;
  const lacking = { ...db, downtime: { p50: 0, p95: 0, worst: 0 } };
  const start = startState(makePicture({ name: "f", objects: [node, deployment({})], listed: [], isWhole: true }));
  const answers = ["n", "m"].map((name) => ({
    ...summarize({ kind: "nodes-off", about: `node ${name} fails`, nodes: [name] } as const, []),
    workloads: [lacking],
    stuck,
  }));
  expect(proposeChanges(start, answers).map(commandOf)).toEqual([
    "kubectl taint node n node.kubernetes.io/out-of-service=nodeshutdown:NoExecute",
  ]);
  const web = { ...lacking, workload: "shop/deployment/web", kind: "Deployment" } as WorkloadAnswer;
  expect(proposeChanges(start, [{ ...summarize(question, []), workloads: [web], stuck }])).toEqual([]);
});

test("a pod that fits nowhere because of a spread constraint is offered a weaker constraint", () => {
  const constraint = { maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "DoNotSchedule" };
  const because = "0/3 nodes are available: 2 node(s) didn't match pod topology spread constraints.";
  const [change] = proposed([deployment({ topologySpreadConstraints: [constraint] }, 3)], {
    pending: [{ pod: "shop/web-1", workload: "shop/deployment/web", because }],
  }).filter(({ what }) => what.includes("prefers"));
  expect(change?.patch).toEqual({
    spec: {
      template: { spec: { topologySpreadConstraints: [{ ...constraint, whenUnsatisfiable: "ScheduleAnyway" }] } },
    },
  });
});
