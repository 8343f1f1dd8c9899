import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, int64, keyedList, oneOf, quantity, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./scaling-metrics.ts";

export const HPAScalingPolicy = object(
  "io.k8s.api.autoscaling.v2.HPAScalingPolicy",
  "HPAScalingPolicy limits the change in the number of pods within a period.",
  () => ({
    type: required(1, oneOf("Pods", "Percent"), "Unit of the value: Pods or Percent."),
    value: required(2, int32, "Maximum change within the period. Must be greater than 0."),
    periodSeconds: required(3, int32, "Length of the period in seconds, from 1 to 1800."),
  }),
);
export type HPAScalingPolicy = z.infer<typeof HPAScalingPolicy>;

export const HPAScalingRules = object(
  "io.k8s.api.autoscaling.v2.HPAScalingRules",
  "Limits of scaling in one direction.",
  () => ({
    selectPolicy: field(
      1,
      oneOf("Max", "Min", "Disabled"),
      "Policy that is used: Max selects the policy that allows the largest change, Min the policy that allows the smallest change, and Disabled disables scaling in this direction. Defaults to Max.",
    ),
    policies: field(
      2,
      atomicList(HPAScalingPolicy),
      "Policies that limit the change. The default for scaling up is 4 pods or 100 percent in 15 seconds, and for scaling down 100 percent in 15 seconds.",
    ),
    stabilizationWindowSeconds: field(
      3,
      int32,
      "Number of seconds for which past recommendations are considered, from 0 to 3600. The recommendation with the smallest change is used. Defaults to 0 for scaling up and 300 for scaling down.",
    ),
    tolerance: field(
      4,
      quantity,
      "Largest relative difference between the current and the target value of a metric that does not cause scaling. Defaults to 0.1.",
    ),
  }),
);
export type HPAScalingRules = z.infer<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior",
  "Limits on the rate at which the number of pods changes.",
  () => ({
    scaleUp: field(1, HPAScalingRules, "Limits of scaling up."),
    scaleDown: field(2, HPAScalingRules, "Limits of scaling down."),
  }),
);
export type HorizontalPodAutoscalerBehavior = z.infer<typeof HorizontalPodAutoscalerBehavior>;

export const HorizontalPodAutoscalerSpec = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec",
  "Scaled object, metrics and limits of the autoscaler.",
  () => ({
    scaleTargetRef: required(
      1,
      CrossVersionObjectReference,
      "Object to scale through the subresource scale. The metrics are collected from the object's pods.",
    ),
    minReplicas: field(2, int32, "Minimum number of pods. Defaults to 1."),
    maxReplicas: required(3, int32, "Maximum number of pods. Must not be less than minReplicas."),
    metrics: field(
      4,
      atomicList(MetricSpec),
      "Metrics that determine the number of pods. The metric that requires the most pods is used. Defaults to a CPU utilization of 80 percent.",
    ),
    behavior: field(
      5,
      HorizontalPodAutoscalerBehavior,
      "Limits on the rate at which the number of pods changes. Each direction has its own defaults.",
    ),
  }),
);
export type HorizontalPodAutoscalerSpec = z.infer<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerCondition = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition",
  "HorizontalPodAutoscalerCondition describes one aspect of the autoscaler's state.",
  () => ({
    type: required(1, text, "Type of the condition: AbleToScale, ScalingActive or ScalingLimited."),
    status: required(2, conditionStatus, "Status of the condition: True, False or Unknown."),
    lastTransitionTime: field(3, time, "Time at which the condition's status last changed."),
    reason: field(4, text, "Reason for the condition's last transition, one CamelCase word."),
    message: field(5, text, "Human-readable details of the condition's last transition."),
  }),
);
export type HorizontalPodAutoscalerCondition = z.infer<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerStatus = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus",
  "Last decision of the autoscaler and its reasons.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the object that the status describes."),
    lastScaleTime: field(2, time, "Time at which the number of pods last changed."),
    currentReplicas: field(3, int32, "Last observed number of pods of the scaled object."),
    desiredReplicas: required(4, int32, "Number of pods that the autoscaler last calculated."),
    currentMetrics: field(5, atomicList(MetricStatus), "Last observed values of the metrics."),
    conditions: field(
      6,
      keyedList(HorizontalPodAutoscalerCondition, ["type"]),
      "Conditions that report whether the autoscaler can scale, whether it is active, and whether a limit applies.",
    ),
  }),
);
export type HorizontalPodAutoscalerStatus = z.infer<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = kind(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
  "A HorizontalPodAutoscaler adjusts the number of pods of an object to metrics such as their CPU utilization.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: required(2, HorizontalPodAutoscalerSpec, "Scaled object, metrics and limits of the autoscaler."),
    status: field(3, HorizontalPodAutoscalerStatus, "Last decision of the autoscaler and its reasons."),
  }),
);
export type HorizontalPodAutoscaler = z.infer<typeof HorizontalPodAutoscaler>;
