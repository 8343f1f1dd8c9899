import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../schema/fields.ts";
import { int32, list, quantity, text } from "../../../schema/types.ts";
import { HorizontalPodAutoscalerCondition } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { CrossVersionObjectReference } from "../horizontal-pod-autoscaler/scaling-metrics.ts";

// Metrics as autoscaling/v1 writes them into annotations. Source and status have one shape each,
// which stores the target in separate fields. These types exist only as JSON, so they do not have
// protobuf numbers.

const json = undefined;
const typeText = "Type of the source, which names the field that must be set.";
const metricText = "Name of the metric.";
const selectorText = "Label selector that the metrics API applies to the metric.";
const referenceText = "Object that the metric describes.";
const resourceText = "Name of the resource.";
const containerText = "Name of the container.";
const valueText = "Target value of the metric. A value of 0 means that the field is unset.";
const averageText = "Target average value of the metric. A value of 0 means that the field is unset.";
const percentText = "Target average usage of the pods, in percent of their requests.";
const currentText = "Current value of the metric.";
const currentAverageText = "Average value of the metric.";
const currentPercentText = "Average usage of the pods, in percent of their requests.";

const ObjectMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ObjectMetricSource",
  "Source of a metric that describes one object.",
  () => ({
    target: required(json, CrossVersionObjectReference, referenceText),
    metricName: required(json, text, metricText),
    targetValue: required(json, quantity, valueText),
    selector: field(json, LabelSelector, selectorText),
    averageValue: field(json, quantity, averageText),
  }),
);

const PodsMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.PodsMetricSource",
  "Source of a metric that describes each pod.",
  () => ({
    metricName: required(json, text, metricText),
    targetAverageValue: required(json, quantity, averageText),
    selector: field(json, LabelSelector, selectorText),
  }),
);

const resourceTarget = () => ({
  name: required(json, text, resourceText),
  targetAverageUtilization: field(json, int32, percentText),
  targetAverageValue: field(json, quantity, averageText),
});

const ResourceMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ResourceMetricSource",
  "Source of a metric for the resource usage of whole pods.",
  resourceTarget,
);

const ContainerResourceMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ContainerResourceMetricSource",
  "Source of a metric for the resource usage of one container in each pod.",
  () => ({ ...resourceTarget(), container: required(json, text, containerText) }),
);

const ExternalMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ExternalMetricSource",
  "Source of a metric that does not describe an object in the cluster.",
  () => ({
    metricName: required(json, text, metricText),
    metricSelector: field(json, LabelSelector, selectorText),
    targetValue: field(json, quantity, valueText),
    targetAverageValue: field(json, quantity, averageText),
  }),
);

const MetricSpecV1 = object(
  "io.k8s.api.autoscaling.v1.MetricSpec",
  "Spec of one metric, as stored in an annotation.",
  () => ({
    type: required(json, text, typeText),
    object: field(json, ObjectMetricSourceV1, "Metric that describes one object."),
    pods: field(json, PodsMetricSourceV1, "Metric that describes each pod."),
    resource: field(json, ResourceMetricSourceV1, "Resource usage of whole pods."),
    containerResource: field(json, ContainerResourceMetricSourceV1, "Resource usage of one container in each pod."),
    external: field(json, ExternalMetricSourceV1, "Metric that does not describe an object in the cluster."),
  }),
);
export type MetricSpecV1 = z.infer<typeof MetricSpecV1>;

const ObjectMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ObjectMetricStatus",
  "Current value of a metric that describes one object.",
  () => ({
    target: required(json, CrossVersionObjectReference, referenceText),
    metricName: required(json, text, metricText),
    currentValue: required(json, quantity, currentText),
    selector: field(json, LabelSelector, selectorText),
    averageValue: field(json, quantity, currentAverageText),
  }),
);

const PodsMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.PodsMetricStatus",
  "Current value of a metric that describes each pod.",
  () => ({
    metricName: required(json, text, metricText),
    currentAverageValue: required(json, quantity, currentAverageText),
    selector: field(json, LabelSelector, selectorText),
  }),
);

const resourceStatus = () => ({
  name: required(json, text, resourceText),
  currentAverageUtilization: field(json, int32, currentPercentText),
  currentAverageValue: required(json, quantity, currentAverageText),
});

const ResourceMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ResourceMetricStatus",
  "Current resource usage of whole pods.",
  resourceStatus,
);

const ContainerResourceMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ContainerResourceMetricStatus",
  "Current resource usage of one container in each pod.",
  () => ({ ...resourceStatus(), container: required(json, text, containerText) }),
);

const ExternalMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ExternalMetricStatus",
  "Current value of a metric that does not describe an object in the cluster.",
  () => ({
    metricName: required(json, text, metricText),
    metricSelector: field(json, LabelSelector, selectorText),
    currentValue: required(json, quantity, currentText),
    currentAverageValue: field(json, quantity, currentAverageText),
  }),
);

const MetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.MetricStatus",
  "Current value of one metric, as stored in an annotation.",
  () => ({
    type: required(json, text, typeText),
    object: field(json, ObjectMetricStatusV1, "Current value of a metric that describes one object."),
    pods: field(json, PodsMetricStatusV1, "Current value of a metric that describes each pod."),
    resource: field(json, ResourceMetricStatusV1, "Current resource usage of whole pods."),
    containerResource: field(
      json,
      ContainerResourceMetricStatusV1,
      "Current resource usage of one container in each pod.",
    ),
    external: field(
      json,
      ExternalMetricStatusV1,
      "Current value of a metric that does not describe an object in the cluster.",
    ),
  }),
);
export type MetricStatusV1 = z.infer<typeof MetricStatusV1>;

/** The lists that the annotations contain. */
export const annotationLists = {
  metrics: list(MetricSpecV1),
  currentMetrics: list(MetricStatusV1),
  conditions: list(HorizontalPodAutoscalerCondition),
};
