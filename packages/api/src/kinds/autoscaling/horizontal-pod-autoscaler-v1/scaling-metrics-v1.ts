import type { z } from "zod";
import { LabelSelector } from "../../../meta/label-selector-type.ts";
import { field, object, required } from "../../../schema/fields.ts";
import { int32, list, quantity, text } from "../../../schema/types.ts";
import { HorizontalPodAutoscalerCondition } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { CrossVersionObjectReference } from "../horizontal-pod-autoscaler/scaling-metrics.ts";

// Metrics as autoscaling/v1 writes them into annotations. Source and status have one shape each,
// which stores the target in separate fields. They exist only as JSON, so they have no protobuf
// numbers.

const json = undefined;
const typeText = "The type names the one field that is set.";
const metricText = "The metric has this name.";
const selectorText = "The selector narrows the metric further.";
const referenceText = "The metric describes this object.";
const resourceText = "The resource has this name.";
const containerText = "The usage of the container with this name is measured.";
const valueText = "The metric should have this value; 0 stands for no value.";
const averageText = "The metric should have this value on average; 0 stands for no value.";
const percentText = "The pods should use this percentage of their requests on average.";
const currentText = "The metric has this value.";
const currentAverageText = "The metric has this value on average.";
const currentPercentText = "The pods use this percentage of their requests on average.";

const ObjectMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ObjectMetricSource",
  "The source is a metric that describes one object.",
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
  "The source is a metric that describes each pod.",
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
  "The source is the usage of a resource by whole pods.",
  resourceTarget,
);

const ContainerResourceMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ContainerResourceMetricSource",
  "The source is the usage of a resource by one container of each pod.",
  () => ({ ...resourceTarget(), container: required(json, text, containerText) }),
);

const ExternalMetricSourceV1 = object(
  "io.k8s.api.autoscaling.v1.ExternalMetricSource",
  "The source is a metric that describes no object of the cluster.",
  () => ({
    metricName: required(json, text, metricText),
    metricSelector: field(json, LabelSelector, selectorText),
    targetValue: field(json, quantity, valueText),
    targetAverageValue: field(json, quantity, averageText),
  }),
);

const MetricSpecV1 = object(
  "io.k8s.api.autoscaling.v1.MetricSpec",
  "The spec of one metric, as an annotation holds it.",
  () => ({
    type: required(json, text, typeText),
    object: field(json, ObjectMetricSourceV1, "The source is a metric that describes one object."),
    pods: field(json, PodsMetricSourceV1, "The source is a metric that describes each pod."),
    resource: field(json, ResourceMetricSourceV1, "The source is the usage of a resource by whole pods."),
    containerResource: field(json, ContainerResourceMetricSourceV1, "The source is the usage of one container."),
    external: field(json, ExternalMetricSourceV1, "The source is a metric that describes no object."),
  }),
);
export type MetricSpecV1 = z.infer<typeof MetricSpecV1>;

const ObjectMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ObjectMetricStatus",
  "The status of a metric that describes one object.",
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
  "The status of a metric that describes each pod.",
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
  "The status of the usage of a resource by whole pods.",
  resourceStatus,
);

const ContainerResourceMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ContainerResourceMetricStatus",
  "The status of the usage of a resource by one container of each pod.",
  () => ({ ...resourceStatus(), container: required(json, text, containerText) }),
);

const ExternalMetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.ExternalMetricStatus",
  "The status of a metric that describes no object of the cluster.",
  () => ({
    metricName: required(json, text, metricText),
    metricSelector: field(json, LabelSelector, selectorText),
    currentValue: required(json, quantity, currentText),
    currentAverageValue: field(json, quantity, currentAverageText),
  }),
);

const MetricStatusV1 = object(
  "io.k8s.api.autoscaling.v1.MetricStatus",
  "The status of one metric, as an annotation holds it.",
  () => ({
    type: required(json, text, typeText),
    object: field(json, ObjectMetricStatusV1, "The status of a metric that describes one object."),
    pods: field(json, PodsMetricStatusV1, "The status of a metric that describes each pod."),
    resource: field(json, ResourceMetricStatusV1, "The status of the usage of a resource by whole pods."),
    containerResource: field(json, ContainerResourceMetricStatusV1, "The status of the usage of one container."),
    external: field(json, ExternalMetricStatusV1, "The status of a metric that describes no object."),
  }),
);
export type MetricStatusV1 = z.infer<typeof MetricStatusV1>;

/** The lists that the annotations contain. */
export const annotationLists = {
  metrics: list(MetricSpecV1),
  currentMetrics: list(MetricStatusV1),
  conditions: list(HorizontalPodAutoscalerCondition),
};
