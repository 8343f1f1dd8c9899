import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate } from "../../../validation/validate.ts";
import { cpuMetric } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-defaults.ts";
import { horizontalPodAutoscalerKind } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-kind.ts";
import type { HorizontalPodAutoscaler } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { MetricSpec, MetricStatus } from "../horizontal-pod-autoscaler/scaling-metrics.ts";
import { roundTripAnnotations } from "../horizontal-pod-autoscaler/round-trip-annotations.ts";
import { fromStoredAutoscaler, toStoredAutoscaler } from "./horizontal-pod-autoscaler-conversion.ts";
import { horizontalPodAutoscalerV1Kind } from "./horizontal-pod-autoscaler-v1-kind.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const selector = { matchLabels: { queue: "q" } };
const metric = { name: "requests", selector };

const otherMetrics: MetricSpec[] = [
  { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } } },
  { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 70 } } },
  {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "c", target: { type: "Utilization", averageUtilization: 60 } },
  },
  { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "500m" } } },
  {
    type: "Object",
    object: { describedObject: scaleTargetRef, metric, target: { type: "Value", value: "10" } },
  },
  {
    type: "Object",
    object: { describedObject: scaleTargetRef, metric, target: { type: "AverageValue", averageValue: "10" } },
  },
  { type: "External", external: { metric, target: { type: "Value", value: "10" } } },
  { type: "External", external: { metric: { name: "x" }, target: { type: "AverageValue", averageValue: "1" } } },
];

const statuses: MetricStatus[] = [
  { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 20, averageValue: "100m" } } },
  { type: "Resource", resource: { name: "memory", current: { averageValue: "20Mi" } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", current: { averageValue: "1" } } },
  { type: "Pods", pods: { metric, current: { averageValue: "7" } } },
  { type: "Object", object: { describedObject: scaleTargetRef, metric, current: { value: "0" } } },
  { type: "Object", object: { describedObject: scaleTargetRef, metric, current: { averageValue: "5" } } },
  { type: "External", external: { metric, current: { value: "3" } } },
  { type: "External", external: { metric, current: { averageValue: "3" } } },
];

const behavior = {
  scaleUp: { tolerance: "50m", stabilizationWindowSeconds: 10 },
  scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }], selectPolicy: "Disabled" },
};

const conditions = [
  {
    type: "AbleToScale",
    status: "True" as const,
    reason: "ReadyForNewScale",
    message: "recommended size matches current size",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  },
];

function anAutoscaler(spec: object, status?: HorizontalPodAutoscaler["status"]): HorizontalPodAutoscaler {
  const metadata = { annotations: { mine: "kept" } };
  const object = anObject(horizontalPodAutoscalerKind, { metadata, spec: { scaleTargetRef, maxReplicas: 5, ...spec } });
  return { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", ...object, ...(status && { status }) };
}

/** A client of autoscaling/v1 reads the object from the wire and writes it back. */
function roundTrip(stored: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const read = JSON.parse(JSON.stringify(fromStoredAutoscaler(stored))) as typeof stored;
  return toStoredAutoscaler(anObject(horizontalPodAutoscalerV1Kind, read) as never);
}

describe("an object that is read and written back as autoscaling/v1", () => {
  test("loses nothing of its metrics, behavior and status", () => {
    fc.assert(
      fc.property(
        fc.subarray(otherMetrics),
        fc.subarray(statuses),
        fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
        fc.constantFrom(undefined, {}, behavior),
        (others, currentMetrics, percent, wanted) => {
          const cpu = percent === undefined ? [] : [cpuMetric(percent)];
          const stored = anAutoscaler(
            { metrics: [...others, ...cpu], ...(wanted && { behavior: wanted }) },
            {
              currentReplicas: 2,
              desiredReplicas: 3,
              lastScaleTime: "2026-01-01T00:00:00Z",
              ...(currentMetrics.length > 0 && { currentMetrics }),
              conditions,
            },
          );
          expect(validateCreate(horizontalPodAutoscalerKind, stored)).toEqual([]);
          expect(roundTrip(stored)).toMatchObject(stored);
          expect(stored).toMatchObject(roundTrip(stored));
        },
      ),
    );
  });

  test("keeps a percentage of processors that is not the first metric of processors", () => {
    const metrics: MetricSpec[] = [
      { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } },
      cpuMetric(50),
    ];
    const stored = anAutoscaler({ metrics });
    expect(fromStoredAutoscaler(stored).spec).not.toHaveProperty("targetCPUUtilizationPercentage");
    expect(roundTrip(stored).spec.metrics).toEqual(metrics);
  });
});

test("autoscaling/v1 shows fields that it lacks in upstream's annotations", () => {
  const metrics = [cpuMetric(50), otherMetrics[0], otherMetrics[5]] as MetricSpec[];
  const stored = anAutoscaler(
    { metrics, behavior },
    { currentReplicas: 1, desiredReplicas: 2, currentMetrics: statuses.slice(0, 1), conditions },
  );
  const { metadata, spec, status } = fromStoredAutoscaler(stored);
  expect(spec).toEqual({ scaleTargetRef, minReplicas: 1, maxReplicas: 5, targetCPUUtilizationPercentage: 50 });
  expect(status).toEqual({ currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 20 });
  const annotation = (key: string) => JSON.parse(metadata.annotations?.[key] ?? "null") as unknown;
  expect(metadata.annotations?.["mine"]).toBe("kept");
  expect(annotation(roundTripAnnotations.metrics)).toEqual([
    { type: "Resource", resource: { name: "memory", targetAverageValue: "100Mi" } },
    {
      type: "Object",
      object: { target: scaleTargetRef, metricName: "requests", targetValue: "0", selector, averageValue: "10" },
    },
  ]);
  expect(annotation(roundTripAnnotations.behavior)).toEqual({
    ScaleUp: {
      StabilizationWindowSeconds: 10,
      SelectPolicy: "Max",
      Policies: [
        { Type: "Pods", Value: 4, PeriodSeconds: 15 },
        { Type: "Percent", Value: 100, PeriodSeconds: 15 },
      ],
      Tolerance: "50m",
    },
    ScaleDown: {
      StabilizationWindowSeconds: null,
      SelectPolicy: "Disabled",
      Policies: [{ Type: "Pods", Value: 1, PeriodSeconds: 60 }],
      Tolerance: null,
    },
  });
  expect(annotation(roundTripAnnotations.currentMetrics)).toEqual([
    { type: "Resource", resource: { name: "cpu", currentAverageUtilization: 20, currentAverageValue: "100m" } },
  ]);
  expect(annotation(roundTripAnnotations.conditions)).toEqual(conditions);
  expect(stored.metadata.annotations).toEqual({ mine: "kept" });
});

test("an annotation of autoscaling/v1 that does not decode is ignored and not stored", () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.json(),
    fc.constantFrom(
      "[".repeat(100_000),
      `{"ScaleUp":`.repeat(20_000),
      '[{"__proto__":{"x":1}}]',
      "[null]",
      '{"ScaleUp":3}',
    ),
  );
  const keys = Object.values(roundTripAnnotations);
  fc.assert(
    fc.property(fc.record(Object.fromEntries(keys.map((key) => [key, hostile]))), (annotations) => {
      const sent = anObject(horizontalPodAutoscalerV1Kind, {
        metadata: { annotations },
        spec: { scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 50 },
        status: { currentReplicas: 1, desiredReplicas: 1 },
      });
      const stored = toStoredAutoscaler(sent);
      expect(Object.keys(stored.metadata.annotations ?? {})).toEqual([]);
      expect(stored.spec.metrics?.at(-1)).toEqual(cpuMetric(50));
      expect(sent.metadata.annotations).toEqual(annotations);
    }),
  );
});
