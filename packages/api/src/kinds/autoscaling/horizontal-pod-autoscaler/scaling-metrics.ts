import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../schema/fields.ts";
import { int32, oneOf, quantity, text } from "../../../schema/types.ts";

// The metrics of a HorizontalPodAutoscaler. A source in the spec names a metric and its target; the
// status of the same type contains the last value.
//
//   Resource           CPU or memory of all containers of a pod, averaged over the pods
//   ContainerResource  CPU or memory of one container
//   Pods               any metric of the pods, averaged over the pods (custom.metrics.k8s.io)
//   Object             a metric of one object, such as an Ingress   (custom.metrics.k8s.io)
//   External           a metric without an object, such as a queue    (external.metrics.k8s.io)

export const CrossVersionObjectReference = object(
  "io.k8s.api.autoscaling.v2.CrossVersionObjectReference",
  "Reference to an object in the same namespace.",
  () => ({
    kind: required(1, text, "Kind of the object, such as Deployment."),
    name: required(2, text, "Name of the object."),
    apiVersion: field(3, text, "API group and version of the kind, such as apps/v1."),
  }),
);
export type CrossVersionObjectReference = z.infer<typeof CrossVersionObjectReference>;

export const MetricIdentifier = object(
  "io.k8s.api.autoscaling.v2.MetricIdentifier",
  "MetricIdentifier is the name of a metric, with an optional selector.",
  () => ({
    name: required(1, text, "Name of the metric."),
    selector: field(2, LabelSelector, "Label selector that the metrics API applies to the metric."),
  }),
);
export type MetricIdentifier = z.infer<typeof MetricIdentifier>;

export const MetricTarget = object("io.k8s.api.autoscaling.v2.MetricTarget", "Target value of a metric.", () => ({
  type: required(
    1,
    oneOf("Utilization", "Value", "AverageValue"),
    "Type of the target: Utilization, Value or AverageValue.",
  ),
  value: field(2, quantity, "Target value of the metric."),
  averageValue: field(3, quantity, "Target for the average value of the metric over the pods."),
  averageUtilization: field(
    4,
    int32,
    "Target average usage of the pods, in percent of their requests. Applies to resource metrics only.",
  ),
}));
export type MetricTarget = z.infer<typeof MetricTarget>;

export const MetricValueStatus = object(
  "io.k8s.api.autoscaling.v2.MetricValueStatus",
  "Current value of a metric.",
  () => ({
    value: field(1, quantity, "Current value of the metric."),
    averageValue: field(2, quantity, "Current average value of the metric over the pods."),
    averageUtilization: field(3, int32, "Average usage of the pods, in percent of their requests."),
  }),
);
export type MetricValueStatus = z.infer<typeof MetricValueStatus>;

const resourceName = "Name of the resource, such as cpu or memory.";
const containerName = "Name of the container.";
const targetText = "Target value of the metric.";
const currentText = "Last observed value of the metric.";
const metricText = "Name and selector of the metric.";
const describedText = "Object that the metric describes.";

export const ObjectMetricSource = object(
  "io.k8s.api.autoscaling.v2.ObjectMetricSource",
  "Source of a metric that describes one object.",
  () => ({
    describedObject: required(1, CrossVersionObjectReference, describedText),
    target: required(2, MetricTarget, targetText),
    metric: required(3, MetricIdentifier, metricText),
  }),
);
export type ObjectMetricSource = z.infer<typeof ObjectMetricSource>;

export const PodsMetricSource = object(
  "io.k8s.api.autoscaling.v2.PodsMetricSource",
  "Source of a metric that describes each pod. Its values are averaged.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    target: required(2, MetricTarget, targetText),
  }),
);
export type PodsMetricSource = z.infer<typeof PodsMetricSource>;

export const ResourceMetricSource = object(
  "io.k8s.api.autoscaling.v2.ResourceMetricSource",
  "Source of a metric for the resource usage of whole pods.",
  () => ({
    name: required(1, text, resourceName),
    target: required(2, MetricTarget, targetText),
  }),
);
export type ResourceMetricSource = z.infer<typeof ResourceMetricSource>;

export const ContainerResourceMetricSource = object(
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricSource",
  "Source of a metric for the resource usage of one container in each pod.",
  () => ({
    name: required(1, text, resourceName),
    target: required(2, MetricTarget, targetText),
    container: required(3, text, containerName),
  }),
);
export type ContainerResourceMetricSource = z.infer<typeof ContainerResourceMetricSource>;

export const ExternalMetricSource = object(
  "io.k8s.api.autoscaling.v2.ExternalMetricSource",
  "Source of a metric that does not describe an object in the cluster.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    target: required(2, MetricTarget, targetText),
  }),
);
export type ExternalMetricSource = z.infer<typeof ExternalMetricSource>;

const sourceType = oneOf("ContainerResource", "External", "Object", "Pods", "Resource");
const typeText =
  "Type of the source, which names the field that must be set: Resource, ContainerResource, Pods, Object or External.";

export const MetricSpec = object(
  "io.k8s.api.autoscaling.v2.MetricSpec",
  "MetricSpec is the spec of one metric that determines the number of pods.",
  () => ({
    type: required(1, sourceType, typeText),
    object: field(2, ObjectMetricSource, "Metric that describes one object."),
    pods: field(3, PodsMetricSource, "Metric that describes each pod."),
    resource: field(4, ResourceMetricSource, "Resource usage of whole pods."),
    external: field(5, ExternalMetricSource, "Metric that does not describe an object in the cluster."),
    containerResource: field(7, ContainerResourceMetricSource, "Resource usage of one container in each pod."),
  }),
);
export type MetricSpec = z.infer<typeof MetricSpec>;

export const ObjectMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ObjectMetricStatus",
  "Current value of a metric that describes one object.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
    describedObject: required(3, CrossVersionObjectReference, describedText),
  }),
);
export type ObjectMetricStatus = z.infer<typeof ObjectMetricStatus>;

export const PodsMetricStatus = object(
  "io.k8s.api.autoscaling.v2.PodsMetricStatus",
  "Current value of a metric that describes each pod.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type PodsMetricStatus = z.infer<typeof PodsMetricStatus>;

export const ResourceMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ResourceMetricStatus",
  "Current resource usage of whole pods.",
  () => ({
    name: required(1, text, resourceName),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type ResourceMetricStatus = z.infer<typeof ResourceMetricStatus>;

export const ContainerResourceMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus",
  "Current resource usage of one container in each pod.",
  () => ({
    name: required(1, text, resourceName),
    current: required(2, MetricValueStatus, currentText),
    container: required(3, text, containerName),
  }),
);
export type ContainerResourceMetricStatus = z.infer<typeof ContainerResourceMetricStatus>;

export const ExternalMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ExternalMetricStatus",
  "Current value of a metric that does not describe an object in the cluster.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type ExternalMetricStatus = z.infer<typeof ExternalMetricStatus>;

export const MetricStatus = object(
  "io.k8s.api.autoscaling.v2.MetricStatus",
  "Last observed value of one metric.",
  () => ({
    type: required(1, sourceType, typeText),
    object: field(2, ObjectMetricStatus, "Current value of a metric that describes one object."),
    pods: field(3, PodsMetricStatus, "Current value of a metric that describes each pod."),
    resource: field(4, ResourceMetricStatus, "Current resource usage of whole pods."),
    external: field(
      5,
      ExternalMetricStatus,
      "Current value of a metric that does not describe an object in the cluster.",
    ),
    containerResource: field(7, ContainerResourceMetricStatus, "Current resource usage of one container in each pod."),
  }),
);
export type MetricStatus = z.infer<typeof MetricStatus>;
