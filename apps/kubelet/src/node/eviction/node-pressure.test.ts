import { expect, test } from "vitest";
import { aPod } from "../../testing/builders.ts";
import { NodePressure } from "./node-pressure.ts";

const burstable = aPod({ containers: [{ name: "c", image: "busybox", resources: { requests: { memory: "1Mi" } } }] });

test("a change of the conditions is reported once, and equal conditions are not reported", () => {
  const pressure = new NodePressure();
  const seen: string[] = [];
  pressure.onChanged(() => seen.push(pressure.conditions.join()));
  pressure.set([]);
  pressure.set(["DiskPressure"]);
  pressure.set(["DiskPressure"]);
  pressure.set([]);
  expect(seen).toEqual(["DiskPressure", ""]);
});

test("BestEffort pods are rejected under memory pressure, and all pods when the disk is full", () => {
  const pressure = new NodePressure();
  expect(pressure.refuse(aPod())).toBeUndefined();
  pressure.set(["MemoryPressure"]);
  expect(pressure.refuse(aPod())).toEqual({
    reason: "Evicted",
    message: "The node had condition: [MemoryPressure]. ",
  });
  expect(pressure.refuse(burstable)).toBeUndefined();
  pressure.set(["MemoryPressure", "DiskPressure"]);
  expect(pressure.refuse(burstable)?.message).toBe("The node had condition: [MemoryPressure DiskPressure]. ");
});

test("a pod that tolerates memory pressure is accepted under it", () => {
  const pressure = new NodePressure();
  pressure.set(["MemoryPressure"]);
  const tolerations = [{ key: "node.kubernetes.io/memory-pressure", operator: "Exists" as const }];
  expect(pressure.refuse(aPod({ tolerations }))).toBeUndefined();
});
