import { withoutUndefined } from "../../../values/without-undefined.ts";
import type { MetricSpec, MetricStatus, MetricTarget } from "../horizontal-pod-autoscaler/scaling-metrics.ts";
import type { MetricSpecV1, MetricStatusV1 } from "./scaling-metrics-v1.ts";

// Follows pkg/apis/autoscaling/v1/conversion.go. A target that autoscaling/v1 cannot omit is
// written as "0". Since "0" is not a valid target, it is omitted again on the way back.

const zero = "0";

export function metricToV1({ type, object, pods, resource, containerResource, external }: MetricSpec): MetricSpecV1 {
  return withoutUndefined<MetricSpecV1>({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? zero,
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? zero,
      selector: pods.metric.selector,
    },
    resource: resource && resourceTargetToV1(resource),
    containerResource: containerResource && {
      ...resourceTargetToV1(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  });
}

export function metricFromV1(metric: MetricSpecV1): MetricSpec {
  const { object, pods, resource, containerResource, external } = metric;
  return deeplyWithoutUndefined<MetricSpec>({
    type: metric.type as MetricSpec["type"],
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      target: {
        type: object.averageValue === undefined ? "Value" : "AverageValue",
        value: unlessZero(object.targetValue),
        averageValue: object.averageValue,
      },
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      target: { type: "AverageValue", averageValue: unlessZero(pods.targetAverageValue) },
    },
    resource: resource && { name: resource.name, target: resourceTargetFromV1(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      target: resourceTargetFromV1(containerResource),
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      target: {
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      },
    },
  });
}

function resourceTargetToV1({ name, target }: { name: string; target: MetricTarget }) {
  const { averageUtilization: targetAverageUtilization, averageValue: targetAverageValue } = target;
  return { name, targetAverageUtilization, targetAverageValue };
}

function resourceTargetFromV1(source: NonNullable<MetricSpecV1["resource"]>): MetricTarget {
  const { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue } = source;
  return { type: averageUtilization === undefined ? "AverageValue" : "Utilization", averageValue, averageUtilization };
}

export function metricStatusToV1(status: MetricStatus): MetricStatusV1 {
  const { type, object, pods, resource, containerResource, external } = status;
  return withoutUndefined<MetricStatusV1>({
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? zero,
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? zero,
      selector: pods.metric.selector,
    },
    resource: resource && resourceStatusToV1(resource),
    containerResource: containerResource && {
      ...resourceStatusToV1(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? zero,
      currentAverageValue: external.current.averageValue,
    },
  });
}

export function metricStatusFromV1(status: MetricStatusV1): MetricStatus {
  const { object, pods, resource, containerResource, external } = status;
  return deeplyWithoutUndefined<MetricStatus>({
    type: status.type as MetricStatus["type"],
    object: object && {
      describedObject: object.target,
      metric: { name: object.metricName, selector: object.selector },
      current: valueFromV1(object.currentValue, object.averageValue),
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: resourceStatusFromV1(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      container: containerResource.container,
      current: resourceStatusFromV1(containerResource),
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      current: valueFromV1(external.currentValue, external.currentAverageValue),
    },
  });
}

function resourceStatusToV1({ name, current }: NonNullable<MetricStatus["resource"]>) {
  const { averageUtilization: currentAverageUtilization, averageValue: currentAverageValue = zero } = current;
  return { name, currentAverageUtilization, currentAverageValue };
}

function resourceStatusFromV1(status: NonNullable<MetricStatusV1["resource"]>) {
  return { averageUtilization: status.currentAverageUtilization, averageValue: status.currentAverageValue };
}

/** A value next to an average is the zero that autoscaling/v1 had to write. */
function valueFromV1(value: string, averageValue: string | undefined) {
  return averageValue === undefined ? { value } : { value: unlessZero(value), averageValue };
}

function unlessZero(value: string): string | undefined {
  return value === zero ? undefined : value;
}

/** The values of these types are plain JSON, so a copy through JSON drops undefined fields. */
function deeplyWithoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
