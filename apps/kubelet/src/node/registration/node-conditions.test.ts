import type { NodeCondition } from "@kintsugi/api";
import { expect, test } from "vitest";
import { nodeConditions } from "./node-conditions.ts";

const nowMs = 1_767_225_600_000;
const earlier = "2025-12-31T00:00:00Z";

test("conditions of other writers are not changed, and the kubelet's own conditions follow them", () => {
  const foreign: NodeCondition[] = [
    { type: "DrainInProgress", status: "True", reason: "KintsugiDrainStarted", lastTransitionTime: earlier },
    { type: "MaintenancePlanned", status: "True", lastTransitionTime: earlier },
    { type: "example.com/Disk", status: "False" },
  ];
  const own: NodeCondition = { type: "Ready", status: "True", lastTransitionTime: earlier };
  const next = nodeConditions({ errors: [], pressure: [], nowMs }, [own, ...foreign]);
  expect(next.slice(0, 3)).toEqual(foreign);
  expect(next.slice(3).map(({ type }) => type)).toEqual(["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"]);
  expect(next.at(-1)?.lastTransitionTime).toBe(earlier);
});
