import { formatTimestamp, type MetricSpec } from "@kintsugi/api";
import { describe, expect, test } from "vitest";
import { Scene, usagePath } from "./testing/autoscaled-scene.ts";

describe("metrics of adapters", () => {
  const metric = { name: "requests" };
  test("of pods, objects and external systems are read where they are served", async () => {
    const metrics: MetricSpec[] = [
      { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "10" } } },
      {
        type: "Object",
        object: {
          describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
          metric,
          target: { type: "Value", value: "5" },
        },
      },
      {
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "4" } },
      },
    ];
    const scene = new Scene(2, { metrics });
    scene.load(2, 0);
    const { answers, clock } = scene.cluster;
    const root = "/apis/custom.metrics.k8s.io";
    const timestamp = formatTimestamp(clock.nowMs());
    answers.set(root, { versions: [{ version: "v1beta1" }, { version: "v1beta2" }] });
    answers.set(`${root}/v1beta2/namespaces/default/pods/*/requests`, {
      items: ["web-0", "web-1"].map((name) => ({ describedObject: { name }, timestamp, value: "10" })),
    });
    answers.set(`${root}/v1beta2/namespaces/default/services/s/requests`, { items: [{ timestamp, value: "5" }] });
    answers.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
      items: [{ value: "9" }, { value: "2500m" }],
    });
    await scene.start();
    expect(scene.autoscaler().status?.currentMetrics).toEqual([
      { type: "Pods", pods: { metric, current: { averageValue: "10" } } },
      {
        type: "Object",
        object: { describedObject: { apiVersion: "v1", kind: "Service", name: "s" }, metric, current: { value: "5" } },
      },
      { type: "External", external: { metric: { name: "queue" }, current: { averageValue: "5750m" } } },
    ]);
    expect(scene.replicas).toBe(3);
    expect(scene.condition("ScalingActive")).toContain("calculate a replica count from external metric queue(nil)");
  });

  test("with invalid values count as missing", async () => {
    const scene = new Scene(2);
    scene.load(2, 0);
    for (const items of [
      [null],
      "x",
      [{}],
      [{ metadata: { name: "web-0" }, timestamp: "now", window: "1", containers: [{ usage: { cpu: "much" } }] }],
    ]) {
      scene.cluster.answers.set(usagePath, { items });
      await scene.start();
      await scene.cluster.clock.advance(15_000);
      await scene.cluster.stop();
      expect(scene.condition("ScalingActive")).toMatch(/^False FailedGetResourceMetric: /);
    }
    expect(scene.sizes).toEqual([]);
  });
});
