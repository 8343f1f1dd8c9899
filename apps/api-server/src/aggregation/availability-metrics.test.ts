import { createMetrics } from "@kintsugi/daemon";
import { expect, test } from "vitest";
import { createAvailabilityMetrics } from "./availability-metrics.ts";

test("a server that becomes unavailable is counted once by its reason, and its series are removed with it", async () => {
  const metrics = createMetrics();
  const measured = createAvailabilityMetrics(metrics);
  const passed = { status: "True", reason: "Passed" } as const;
  const failed = { status: "False", reason: "FailedDiscoveryCheck" } as const;
  const series = async () =>
    (await metrics.exposition()).split("\n").filter((line) => line.startsWith("aggregator_unavailable"));
  measured.checked("v1.a", { before: undefined, now: failed });
  expect(await series()).toEqual(['aggregator_unavailable_apiservice{name="v1.a"} 1']);
  measured.checked("v1.a", { before: failed, now: passed });
  measured.checked("v1.a", { before: passed, now: failed });
  measured.checked("v1.a", { before: failed, now: failed });
  expect(await series()).toEqual([
    'aggregator_unavailable_apiservice{name="v1.a"} 1',
    'aggregator_unavailable_apiservice_total{name="v1.a",reason="FailedDiscoveryCheck"} 1',
  ]);
  measured.remove("v1.a");
  expect(await series()).toEqual([]);
});
