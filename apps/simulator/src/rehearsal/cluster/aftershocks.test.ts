import { parseTimestamp, type Pod } from "@kintsugi/api";
import { expect, test } from "vitest";
import { Aftershocks } from "./aftershocks.ts";

const startMs = parseTimestamp("2026-01-01T00:00:00Z");

function aPod(name: string, { nodeName = "a", ready = false, leaving = false, reason = "" } = {}): Pod {
  const conditions = [
    { type: "Ready", status: ready ? "True" : "False" },
    ...(reason === "" ? [] : [{ type: "DisruptionTarget", status: "True", reason }]),
  ];
  return {
    metadata: {
      name,
      namespace: "shop",
      uid: name,
      ...(leaving ? { deletionTimestamp: "2026-01-01T00:01:00Z" } : {}),
    },
    spec: { nodeName, containers: [{ name: "c", image: "i" }] },
    status: { phase: "Running", startTime: "2026-01-01T00:00:00Z", conditions },
  } as Pod;
}

function observed(...changes: Pod[]) {
  const shocks = new Aftershocks(() => ({ name: "shop/job/w", kind: "Job" }));
  shocks.begin([aPod("old", { ready: true })]);
  for (const pod of changes) shocks.observePod(pod, "put", startMs + 90_000);
  return shocks.aftermath(1);
}

test("the report states the most pods that start concurrently, and the node with the most of them", () => {
  const { starts } = observed(
    aPod("x"),
    aPod("y", { nodeName: "b" }),
    aPod("z", { nodeName: "b" }),
    aPod("x", { ready: true }),
    aPod("v"),
  );
  expect(starts).toEqual({ most: 3, node: "b", onNode: 2 });
});

test("a replacement that is evicted moves twice, and a preempted pod loses its place", () => {
  const { movedTwice, preempted } = observed(
    aPod("x"),
    aPod("x", { leaving: true }),
    aPod("old", { leaving: true, reason: "PreemptionByScheduler" }),
  );
  expect({ movedTwice, preempted }).toEqual({ movedTwice: ["shop/x"], preempted: ["shop/old"] });
});

test("a pod of a Job that ends before its work is done loses its progress", () => {
  expect(observed(aPod("old", { leaving: true })).lostWork).toEqual([
    { workload: "shop/job/w", pod: "shop/old", ranMs: 90_000 },
  ]);
  const done = aPod("old", { leaving: true });
  expect(observed({ ...done, status: { ...done.status, phase: "Succeeded" } } as Pod).lostWork).toEqual([]);
});

test("the node whose pods wait longest for the pulls of other pods is named", () => {
  const shocks = new Aftershocks(() => ({ name: "shop/job/w", kind: "Job" }));
  shocks.observePull("a", 90_000);
  shocks.begin([]);
  expect(shocks.aftermath(1).pullQueue).toBeUndefined();
  shocks.observePull("a", 0);
  shocks.observePull("b", 3_000);
  shocks.observePull("b", 8_000);
  expect(shocks.aftermath(1).pullQueue).toEqual({ node: "b", pulls: 2, waitedMs: 8_000 });
});
