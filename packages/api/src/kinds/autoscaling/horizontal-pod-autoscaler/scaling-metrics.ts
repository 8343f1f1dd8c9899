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
  "A reference names an object of the same namespace.",
  () => ({
    kind: required(1, text, "The object is of this kind, such as Deployment."),
    name: required(2, text, "The object has this name."),
    apiVersion: field(3, text, "The kind belongs to this API group and version, such as apps/v1."),
  }),
);
export type CrossVersionObjectReference = z.infer<typeof CrossVersionObjectReference>;

export const MetricIdentifier = object(
  "io.k8s.api.autoscaling.v2.MetricIdentifier",
  "An identifier names a metric.",
  () => ({
    name: required(1, text, "The metric has this name."),
    selector: field(2, LabelSelector, "The selector narrows the metric further; it is passed to the metrics API."),
  }),
);
export type MetricIdentifier = z.infer<typeof MetricIdentifier>;

export const MetricTarget = object(
  "io.k8s.api.autoscaling.v2.MetricTarget",
  "The target is the wanted value of a metric.",
  () => ({
    type: required(1, oneOf("Utilization", "Value", "AverageValue"), "The type is Utilization, Value or AverageValue."),
    value: field(2, quantity, "The metric should have this value."),
    averageValue: field(3, quantity, "The metric, divided by the number of pods, should have this value."),
    averageUtilization: field(
      4,
      int32,
      "The pods should use this percentage of their requests on average; it applies to resource metrics only.",
    ),
  }),
);
export type MetricTarget = z.infer<typeof MetricTarget>;

export const MetricValueStatus = object(
  "io.k8s.api.autoscaling.v2.MetricValueStatus",
  "The current value of a metric.",
  () => ({
    value: field(1, quantity, "The metric has this value."),
    averageValue: field(2, quantity, "The metric has this value on average over the pods."),
    averageUtilization: field(3, int32, "The pods use this percentage of their requests on average."),
  }),
);
export type MetricValueStatus = z.infer<typeof MetricValueStatus>;

const resourceName = "The resource has this name, such as cpu or memory.";
const containerName = "The usage of the container with this name is measured.";
const targetText = "The target is the wanted value of the metric.";
const currentText = "The metric had this value when it was last read.";
const metricText = "The metric has this name and selector.";
const describedText = "The metric describes this object.";

export const ObjectMetricSource = object(
  "io.k8s.api.autoscaling.v2.ObjectMetricSource",
  "The source is a metric that describes one object.",
  () => ({
    describedObject: required(1, CrossVersionObjectReference, describedText),
    target: required(2, MetricTarget, targetText),
    metric: required(3, MetricIdentifier, metricText),
  }),
);
export type ObjectMetricSource = z.infer<typeof ObjectMetricSource>;

export const PodsMetricSource = object(
  "io.k8s.api.autoscaling.v2.PodsMetricSource",
  "The source is a metric that describes each pod; its values are averaged.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    target: required(2, MetricTarget, targetText),
  }),
);
export type PodsMetricSource = z.infer<typeof PodsMetricSource>;

export const ResourceMetricSource = object(
  "io.k8s.api.autoscaling.v2.ResourceMetricSource",
  "The source is the usage of a resource by whole pods.",
  () => ({
    name: required(1, text, resourceName),
    target: required(2, MetricTarget, targetText),
  }),
);
export type ResourceMetricSource = z.infer<typeof ResourceMetricSource>;

export const ContainerResourceMetricSource = object(
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricSource",
  "The source is the usage of a resource by one container of each pod.",
  () => ({
    name: required(1, text, resourceName),
    target: required(2, MetricTarget, targetText),
    container: required(3, text, containerName),
  }),
);
export type ContainerResourceMetricSource = z.infer<typeof ContainerResourceMetricSource>;

export const ExternalMetricSource = object(
  "io.k8s.api.autoscaling.v2.ExternalMetricSource",
  "The source is a metric that describes no object of the cluster.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    target: required(2, MetricTarget, targetText),
  }),
);
export type ExternalMetricSource = z.infer<typeof ExternalMetricSource>;

const sourceType = oneOf("ContainerResource", "External", "Object", "Pods", "Resource");
const typeText = "The type names the one field that is set: Resource, ContainerResource, Pods, Object or External.";

export const MetricSpec = object(
  "io.k8s.api.autoscaling.v2.MetricSpec",
  "The spec of one metric that the scaling depends on.",
  () => ({
    type: required(1, sourceType, typeText),
    object: field(2, ObjectMetricSource, "The source is a metric that describes one object."),
    pods: field(3, PodsMetricSource, "The source is a metric that describes each pod."),
    resource: field(4, ResourceMetricSource, "The source is the usage of a resource by whole pods."),
    external: field(5, ExternalMetricSource, "The source is a metric that describes no object of the cluster."),
    containerResource: field(
      7,
      ContainerResourceMetricSource,
      "The source is the usage of a resource by one container of each pod.",
    ),
  }),
);
export type MetricSpec = z.infer<typeof MetricSpec>;

export const ObjectMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ObjectMetricStatus",
  "The status of a metric that describes one object.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
    describedObject: required(3, CrossVersionObjectReference, describedText),
  }),
);
export type ObjectMetricStatus = z.infer<typeof ObjectMetricStatus>;

export const PodsMetricStatus = object(
  "io.k8s.api.autoscaling.v2.PodsMetricStatus",
  "The status of a metric that describes each pod.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type PodsMetricStatus = z.infer<typeof PodsMetricStatus>;

export const ResourceMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ResourceMetricStatus",
  "The status of the usage of a resource by whole pods.",
  () => ({
    name: required(1, text, resourceName),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type ResourceMetricStatus = z.infer<typeof ResourceMetricStatus>;

export const ContainerResourceMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus",
  "The status of the usage of a resource by one container of each pod.",
  () => ({
    name: required(1, text, resourceName),
    current: required(2, MetricValueStatus, currentText),
    container: required(3, text, containerName),
  }),
);
export type ContainerResourceMetricStatus = z.infer<typeof ContainerResourceMetricStatus>;

export const ExternalMetricStatus = object(
  "io.k8s.api.autoscaling.v2.ExternalMetricStatus",
  "The status of a metric that describes no object of the cluster.",
  () => ({
    metric: required(1, MetricIdentifier, metricText),
    current: required(2, MetricValueStatus, currentText),
  }),
);
export type ExternalMetricStatus = z.infer<typeof ExternalMetricStatus>;

export const MetricStatus = object(
  "io.k8s.api.autoscaling.v2.MetricStatus",
  "The last read state of one metric.",
  () => ({
    type: required(1, sourceType, typeText),
    object: field(2, ObjectMetricStatus, "The status of a metric that describes one object."),
    pods: field(3, PodsMetricStatus, "The status of a metric that describes each pod."),
    resource: field(4, ResourceMetricStatus, "The status of the usage of a resource by whole pods."),
    external: field(5, ExternalMetricStatus, "The status of a metric that describes no object of the cluster."),
    containerResource: field(
      7,
      ContainerResourceMetricStatus,
      "The status of the usage of a resource by one container of each pod.",
    ),
  }),
);
export type MetricStatus = z.infer<typeof MetricStatus>;
