import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sayWhyNot, whyNoClusters } from "../../support/host-abilities.ts";
import { type KubernetesObject, type LabCluster, startLabCluster } from "../../support/lab-cluster.ts";
import { eventually } from "../../support/run-program.ts";

const lacking = whyNoClusters();
sayWhyNot("rebalancing", lacking);

/** Six pods; a budget allows one pod to be unavailable. */
const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: c, image: "busybox:1", command: [sleep, "3600"]}]
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 5, selector: {matchLabels: {app: web}}}
`;

let cluster: LabCluster;
if (lacking === undefined) {
  beforeAll(async () => {
    cluster = await startLabCluster({ name: "rebalance", nodes: 3 });
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());
}

const pods = async () => (await cluster.get<{ items: KubernetesObject[] }>("pods", "-l", "app=web")).items;
const isReady = ({ metadata, status }: KubernetesObject) =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
const perNode = (list: readonly KubernetesObject[]) =>
  ["node-1", "node-2", "node-3"].map((name) => list.filter(({ spec }) => spec.nodeName === name).length);
const sixReady = async () => {
  const list = (await pods()).filter(isReady);
  return list.length === 6 ? list : undefined;
};

interface Forecast {
  moves: { from: string; to: string; scoreBefore: number; scoreAfter: number }[];
  waitsFor?: string;
}

describe.skipIf(lacking !== undefined)("kintsugi rebalance", () => {
  test("spreads a Deployment over a returned node within its budget, and then ends", async () => {
    await cluster.apply(web);
    await eventually("six pods", sixReady);
    await cluster.kintsugi("node", "kill", "node-3");
    const crowded = await eventually("six pods on two nodes", async () => {
      const list = await sixReady();
      return list !== undefined && perNode(list)[2] === 0 ? list : undefined;
    });
    await cluster.kintsugi("node", "return", "node-3");
    const forecast = await eventually("a forecast", async () => {
      const { stdout } = await cluster.kintsugi("rebalance", "--dry-run", "-o", "json");
      const made = JSON.parse(stdout) as Forecast;
      return made.waitsFor === undefined && made.moves.length > 0 ? made : undefined;
    });
    expect(forecast.moves.map(({ to }) => to)).toEqual(["node-3", "node-3"]);
    for (const { scoreBefore, scoreAfter } of forecast.moves) expect(scoreAfter).toBeGreaterThan(scoreBefore);
    expect((await pods()).map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      crowded.map(({ metadata }) => metadata.uid).toSorted(),
    );

    const readyCounts: number[] = [];
    let isMoving = true;
    const watching = (async () => {
      while (isMoving) readyCounts.push((await pods()).filter(isReady).length);
    })();
    const { stdout } = await cluster.kintsugi("rebalance");
    isMoving = false;
    await watching;
    expect(Math.min(...readyCounts)).toBeGreaterThanOrEqual(5);
    expect(perNode((await sixReady()) ?? [])).toEqual([2, 2, 2]);
    expect(stdout.match(/ evicted: /g)).toHaveLength(2);

    const events = await cluster.get<{ items: { involvedObject: { kind: string }; message: string }[] }>(
      "events",
      "--field-selector=reason=Rebalanced",
    );
    const kinds = events.items.map(({ involvedObject }) => involvedObject.kind);
    expect(kinds.filter((kind) => kind === "Pod")).toHaveLength(2);
    expect(kinds).toContain("ReplicaSet");
    expect(events.items[0]?.message).toMatch(/on node node-3, which the scheduler scores \d+ instead of \d+$/);

    const again = await cluster.kintsugi("rebalance");
    expect(again.stdout).toContain("No pod needs to move.");
    expect(perNode((await sixReady()) ?? [])).toEqual([2, 2, 2]);
  });
});
