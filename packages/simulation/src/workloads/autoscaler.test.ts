import { expect, test } from "vitest";
import { Loads } from "../instruments/loads.ts";
import { anAutoscaler, isRightSize } from "./autoscaler.ts";

const autoscale = { min: 2, max: 6, cpu: "100m" };

test("an autoscaler names its workload by group, version and kind", () => {
  const targetOf = (kind: "Deployment" | "ReplicationController") =>
    anAutoscaler({ name: "web", kind, replicas: 2 }, autoscale).spec.scaleTargetRef;
  expect(targetOf("Deployment")).toEqual({ apiVersion: "apps/v1", kind: "Deployment", name: "web" });
  expect(targetOf("ReplicationController")).toEqual({ apiVersion: "v1", kind: "ReplicationController", name: "web" });
});

test.each([
  [3, 300, true],
  [3, 325, true],
  [3, 340, false],
  [4, 330, true],
  [4, 300, false],
  [2, 0, true],
  [1, 0, false],
  [6, 5000, true],
  [7, 5000, false],
])("for %i pods under %im, it is %s that the autoscaler does not scale the pods", (size, loadMillicores, isRight) => {
  expect(isRightSize(size, { loadMillicores, autoscale })).toBe(isRight);
});

test("loads add up until they are removed, and a pod belongs to the longest name", () => {
  const changes: number[] = [];
  const loads: Loads = new Loads(() => changes.push(loads.of("web")));
  loads.add("web", 100);
  const takeOff = loads.add("web", 50);
  loads.add("web-front", 10);
  expect([
    loads.of("web"),
    loads.workloadOf("web-front-x7"),
    loads.workloadOf("web-x7"),
    loads.workloadOf("db-0"),
  ]).toEqual([150, "web-front", "web", undefined]);
  takeOff();
  takeOff();
  expect([loads.of("web"), changes]).toEqual([100, [0, 100, 150, 150]]);
});
