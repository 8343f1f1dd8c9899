import { expect, test } from "vitest";
import type { WorkloadAnswer } from "../outcomes/summarize.ts";
import { summarize } from "../outcomes/summarize.ts";
import { makePicture } from "../picture/make-picture.ts";
import { autoscaledLoads } from "./autoscaled-loads.ts";

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };
const autoscaler = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 4,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
  status: {
    desiredReplicas: 3,
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 70, averageValue: "70m" } } },
    ],
  },
};
const picture = makePicture({ name: "f", objects: [node, autoscaler], listed: [], isWhole: false });

function linesFor(before: number, fewest: number): string[] {
  const answer = summarize({ kind: "nodes-off", about: "node n fails", nodes: ["n"] }, []);
  const web = { workload: "shop/deployment/web", before, fewest } as WorkloadAnswer;
  return autoscaledLoads(picture, [{ ...answer, workloads: [web] }]);
}

test("the remaining pods share the whole load, and the autoscaler would request more", () => {
  expect(linesFor(3, 2)).toEqual([
    "if node n fails: the 2 remaining pods of shop/deployment/web use 105 % of the cpu that they request, above their autoscaler's target of 80 %; it would scale to 3 pods",
  ]);
  expect(linesFor(6, 4)[0]).toMatch(/would scale to 6 pods, more than its maximum of 4$/);
});

test("nothing is reported if the load fits or no pod remains", () => {
  expect([...linesFor(8, 7), ...linesFor(3, 0), ...linesFor(3, 3)]).toEqual([]);
});
