import { describe, expect, test } from "vitest";
import { parseTimestamp } from "../../../values/timestamp.ts";
import { anObject } from "../../../validation/testing/an-object.ts";
import { validateCreate, validateUpdate } from "../../../validation/validate.ts";
import { horizontalPodAutoscalerKind as kind } from "./horizontal-pod-autoscaler-kind.ts";
import type { HPAScalingRules } from "./horizontal-pod-autoscaler.ts";
import type { MetricSpec, MetricStatus } from "./scaling-metrics.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const sound = { scaleTargetRef, maxReplicas: 5 };
const cpu80: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

describe("defaults", () => {
  test("are one pod at least, and 80 percent of the requested processors", () => {
    expect(anObject(kind, { spec: sound }).spec).toEqual({ ...sound, minReplicas: 1, metrics: [cpu80] });
    expect(anObject(kind, { spec: { ...sound, metrics: [] } }).spec.metrics).toEqual([cpu80]);
  });

  const up: HPAScalingRules = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
  };
  const down: HPAScalingRules = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
  };

  test.each<[string, object, object]>([
    ["both directions of an existing behavior", {}, { scaleUp: up, scaleDown: down }],
    [
      "the omitted fields of a rule",
      { scaleUp: { selectPolicy: "Min", tolerance: "0.05" }, scaleDown: { stabilizationWindowSeconds: 0 } },
      {
        scaleUp: { ...up, selectPolicy: "Min", tolerance: "50m" },
        scaleDown: { ...down, stabilizationWindowSeconds: 0 },
      },
    ],
    [
      "nothing in a list of policies, even an empty list",
      { scaleUp: { policies: [] } },
      {
        scaleUp: { ...up, policies: [] },
        scaleDown: down,
      },
    ],
  ])("fill in %s", (_what, behavior, expected) => {
    expect(anObject(kind, { spec: { ...sound, behavior } }).spec.behavior).toEqual(expected);
  });

  test("drop the annotations that represent fields in autoscaling/v1", () => {
    const annotations = { "autoscaling.alpha.kubernetes.io/metrics": "[]", mine: "kept" };
    expect(anObject(kind, { metadata: { annotations }, spec: sound }).metadata.annotations).toEqual({ mine: "kept" });
    const only = { "autoscaling.alpha.kubernetes.io/behavior": "{}" };
    expect(anObject(kind, { metadata: { annotations: only }, spec: sound }).metadata).not.toHaveProperty("annotations");
  });
});

function faultsOf(spec: object): string[] {
  return validateCreate(kind, anObject(kind, { spec })).map(({ field, message }) => `${field}: ${message}`);
}

const metricFaults = (metric: object) => faultsOf({ ...sound, metrics: [metric] });
const identifier = { name: "requests" };

describe("validation", () => {
  test.each<[string, MetricSpec]>([
    ["processors in percent", cpu80],
    ["memory in bytes", { type: "Resource", resource: { name: "memory", target: averageOf("100Mi") } }],
    [
      "one container",
      { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: averageOf("1") } },
    ],
    ["any metric of the pods", { type: "Pods", pods: { metric: identifier, target: averageOf("10") } }],
    [
      "a metric of an object",
      {
        type: "Object",
        object: { describedObject: scaleTargetRef, metric: identifier, target: { type: "Value", value: "5" } },
      },
    ],
    ["a metric without an object", { type: "External", external: { metric: identifier, target: averageOf("10") } }],
  ])("accepts %s", (_what, metric) => {
    expect(metricFaults(metric)).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    [
      "no bounds and no target",
      {},
      [
        "spec.maxReplicas: Invalid value: 0: must be greater than 0",
        "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
        "spec.scaleTargetRef.kind: Required value",
        "spec.scaleTargetRef.name: Required value",
      ],
    ],
    [
      "a minimum above the maximum",
      { ...sound, minReplicas: 6 },
      ["spec.maxReplicas: Invalid value: 5: must be greater than or equal to `minReplicas`"],
    ],
    [
      "scaling to zero",
      { ...sound, minReplicas: 0 },
      [
        "spec.minReplicas: Invalid value: 0: must be greater than or equal to 1",
        "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
      ],
    ],
    [
      "a negative bound",
      { ...sound, minReplicas: -1 },
      ["spec.minReplicas: Invalid value: -1: must be greater than or equal to 1"],
    ],
    [
      "a target that is a path",
      { ...sound, scaleTargetRef: { kind: "../x", name: ".." } },
      [
        "spec.scaleTargetRef.kind: Invalid value: \"../x\": may not contain '/'",
        "spec.scaleTargetRef.name: Invalid value: \"..\": may not be '..'",
      ],
    ],
    [
      "rules out of range",
      {
        ...sound,
        behavior: {
          scaleUp: { stabilizationWindowSeconds: -1, selectPolicy: "Most", policies: [] },
          scaleDown: {
            stabilizationWindowSeconds: 3601,
            policies: [
              { type: "Nodes", value: 0, periodSeconds: 0 },
              { type: "Pods", value: 1, periodSeconds: 1801 },
            ],
            tolerance: "-0.1",
          },
        },
      },
      [
        "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
        'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Most": supported values: "Disabled", "Max", "Min"',
        "spec.behavior.scaleUp.policies: Required value: must specify at least one Policy",
        "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
        'spec.behavior.scaleDown.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
        "spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
        "spec.behavior.scaleDown.policies[1].periodSeconds: Invalid value: 1801: must be less than or equal to 1800",
        'spec.behavior.scaleDown.tolerance: Invalid value: "-100m": must be greater than or equal to 0',
      ],
    ],
  ])("refuses %s", (_what, spec, expected) => {
    expect(faultsOf(spec)).toEqual(expected);
  });

  const supported = 'supported values: "ContainerResource", "External", "Object", "Pods", "Resource"';
  test.each<[string, object, string[]]>([
    [
      "no type",
      {},
      ["type: Required value: must specify a metric source type", `type: Unsupported value: "": ${supported}`],
    ],
    ["an unknown type", { type: "Cpu" }, [`type: Unsupported value: "Cpu": ${supported}`]],
    [
      "no source",
      { type: "Resource" },
      ["resource: Required value: must populate information for the given metric source"],
    ],
    [
      "the source of another type",
      { type: "Pods", resource: cpu80.resource },
      ["pods: Required value: must populate information for the given metric source"],
    ],
    [
      "two sources",
      { type: "Resource", resource: cpu80.resource, pods: { metric: identifier, target: averageOf("1") } },
      ["pods: Forbidden: must populate the given metric source only"],
    ],
    [
      "a resource without name and target",
      { type: "Resource", resource: {} },
      [
        "resource.name: Required value: must specify a resource name",
        "resource.target.type: Required value: must specify a metric target type",
        'resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        "resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization",
      ],
    ],
    [
      "a resource with two targets",
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0, averageValue: "-1" } },
      },
      [
        'resource.target.averageValue: Invalid value: "-1": must be positive',
        "resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
        "resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization",
      ],
    ],
    [
      "a container without a name, and a resource that containers do not have",
      { type: "ContainerResource", containerResource: { name: "pods", target: averageOf("1") } },
      [
        'containerResource.name: Invalid value: "pods": must be a standard resource for containers',
        "containerResource.container: Required value: must specify a container",
      ],
    ],
    [
      "a metric of the pods without an average",
      { type: "Pods", pods: { metric: { name: "a/b" }, target: { type: "Value", value: "0" } } },
      [
        "pods.metric.name: Invalid value: \"a/b\": may not contain '/'",
        'pods.target.value: Invalid value: "0": must be positive',
        "pods.target.averageValue: Required value: must specify a positive target averageValue",
      ],
    ],
    [
      "a metric without an object's name",
      { type: "Object", object: { metric: {}, target: { type: "Value" } } },
      [
        "object.describedObject.kind: Required value",
        "object.describedObject.name: Required value",
        "object.metric.name: Required value: must specify a metric name",
        "object.target.averageValue: Required value: must set either a target value or averageValue",
      ],
    ],
    [
      "an external metric with two targets",
      { type: "External", external: { metric: identifier, target: { type: "Value", value: "1", averageValue: "1" } } },
      ["external.target.value: Forbidden: may not set both a target value for metric and a per-pod target"],
    ],
    [
      "an external metric without a target",
      { type: "External", external: { metric: identifier, target: { type: "Value" } } },
      ["external.target.averageValue: Required value: must set either a target value for metric or a per-pod target"],
    ],
  ])("refuses a metric with %s", (_what, metric, expected) => {
    expect(metricFaults(metric)).toEqual(expected.map((fault) => `spec.metrics[0].${fault}`));
  });

  test("refuses a status with a negative number of pods", () => {
    const before = anObject(kind, { metadata: { resourceVersion: "1" }, spec: sound });
    const after = { ...before, status: { currentReplicas: -1, desiredReplicas: -2 } };
    const faults = validateUpdate(kind, { after, before, subresource: "status" });
    expect(faults.map(({ field }) => field)).toEqual(["status.currentReplicas", "status.desiredReplicas"]);
  });
});

const nowMs = parseTimestamp("2026-01-01T00:05:00Z");

function targetsOf(metrics: readonly object[], currentMetrics: readonly MetricStatus[] = []): unknown {
  const metadata = { creationTimestamp: "2026-01-01T00:00:00Z" };
  const status = { currentReplicas: 2, desiredReplicas: 2, currentMetrics: [...currentMetrics] };
  return kind.table?.cells({ ...anObject(kind, { metadata, spec: { ...sound, metrics } }), status }, nowMs)[2];
}

describe("the table", () => {
  test("has the cells of upstream's printer", () => {
    const autoscaler = anObject(kind, { metadata: { creationTimestamp: "2026-01-01T00:00:00Z" }, spec: sound });
    expect(kind.table?.cells(autoscaler, nowMs)).toEqual([
      "x",
      "Deployment/web",
      "cpu: <unknown>/80%",
      "1",
      5,
      0,
      "5m",
    ]);
  });

  const external = (target: object) => ({ type: "External", external: { metric: identifier, target } });
  test.each<[string, MetricSpec | object, MetricStatus | undefined]>([
    [
      "cpu: 12%/80%",
      cpu80,
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 12, averageValue: "60m" } } },
    ],
    [
      "memory: 20Mi/100Mi",
      { type: "Resource", resource: { name: "memory", target: averageOf("100Mi") } },
      { type: "Resource", resource: { name: "memory", current: { averageValue: "20Mi" } } },
    ],
    [
      "cpu: 250m/1",
      { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: averageOf("1") } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "c", current: { averageValue: "250m" } },
      },
    ],
    [
      "7/10",
      { type: "Pods", pods: { metric: identifier, target: averageOf("10") } },
      { type: "Pods", pods: { metric: identifier, current: { averageValue: "7" } } },
    ],
    [
      "3/5",
      external({ type: "Value", value: "5" }),
      { type: "External", external: { metric: identifier, current: { value: "3" } } },
    ],
    ["<unknown>/5 (avg)", external(averageOf("5")), undefined],
    [
      "3/5 (avg)",
      {
        type: "Object",
        object: { describedObject: scaleTargetRef, metric: identifier, target: averageOf("5") },
      },
      {
        type: "Object",
        object: { describedObject: scaleTargetRef, metric: identifier, current: { averageValue: "3" } },
      },
    ],
  ])("shows %s", (expected, metric, status) => {
    expect(targetsOf([metric], status === undefined ? [] : [status])).toBe(expected);
  });

  test("shows two metrics and the number of further metrics", () => {
    expect(targetsOf([cpu80, cpu80, cpu80, cpu80])).toBe("cpu: <unknown>/80%, cpu: <unknown>/80% + 2 more...");
  });
});

function averageOf(averageValue: string) {
  return { type: "AverageValue" as const, averageValue };
}
