import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, field, kind, object, required } from "../../../schema/fields.ts";
import { atomicList, int32, int64, keyedList, oneOf, quantity, text, time } from "../../../schema/types.ts";
import { conditionStatus } from "../../../schema/words.ts";
import { CrossVersionObjectReference, MetricSpec, MetricStatus } from "./scaling-metrics.ts";

export const HPAScalingPolicy = object(
  "io.k8s.api.autoscaling.v2.HPAScalingPolicy",
  "A policy limits the change within a period.",
  () => ({
    type: required(1, oneOf("Pods", "Percent"), "The value is a number of pods, Pods, or a percentage, Percent."),
    value: required(2, int32, "The change within the period is at most this large; it must be greater than 0."),
    periodSeconds: required(3, int32, "The period has this length in seconds, from 1 to 1800."),
  }),
);
export type HPAScalingPolicy = z.infer<typeof HPAScalingPolicy>;

export const HPAScalingRules = object(
  "io.k8s.api.autoscaling.v2.HPAScalingRules",
  "The rules limit the scaling in one direction.",
  () => ({
    selectPolicy: field(
      1,
      oneOf("Max", "Min", "Disabled"),
      "Max, the default, selects the policy with the largest change, Min the smallest; Disabled forbids this direction.",
    ),
    policies: field(
      2,
      atomicList(HPAScalingPolicy),
      "The default allows 4 pods or a doubling in 15 seconds upwards, and all pods in 15 seconds downwards.",
    ),
    stabilizationWindowSeconds: field(
      3,
      int32,
      "The safest recommendation of this many seconds is taken, from 0 to 3600; the default is 0 upwards and 300 downwards.",
    ),
    tolerance: field(
      4,
      quantity,
      "A ratio of current and wanted value that differs from 1 by no more than this changes nothing; the default is 0.1.",
    ),
  }),
);
export type HPAScalingRules = z.infer<typeof HPAScalingRules>;

export const HorizontalPodAutoscalerBehavior = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior",
  "The behavior limits how fast the number of pods changes.",
  () => ({
    scaleUp: field(1, HPAScalingRules, "These rules limit the scaling upwards."),
    scaleDown: field(2, HPAScalingRules, "These rules limit the scaling downwards."),
  }),
);
export type HorizontalPodAutoscalerBehavior = z.infer<typeof HorizontalPodAutoscalerBehavior>;

export const HorizontalPodAutoscalerSpec = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec",
  "The spec names the scaled object, the metrics and the bounds.",
  () => ({
    scaleTargetRef: required(
      1,
      CrossVersionObjectReference,
      "The object with this name is scaled by its subresource scale, and the metrics are those of its pods.",
    ),
    minReplicas: field(2, int32, "There are at least this many pods; the default is 1."),
    maxReplicas: required(3, int32, "There are at most this many pods; it must not be less than minReplicas."),
    metrics: field(
      4,
      atomicList(MetricSpec),
      "The metric that requires the most pods decides; the default is 80 percent of the requested processors.",
    ),
    behavior: field(
      5,
      HorizontalPodAutoscalerBehavior,
      "The behavior limits how fast the number of pods changes; each direction has defaults.",
    ),
  }),
);
export type HorizontalPodAutoscalerSpec = z.infer<typeof HorizontalPodAutoscalerSpec>;

export const HorizontalPodAutoscalerCondition = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition",
  "A condition describes one aspect of the autoscaler's state.",
  () => ({
    type: required(1, text, "The type is AbleToScale, ScalingActive or ScalingLimited."),
    status: required(2, conditionStatus, "The status of the condition is True, False or Unknown."),
    lastTransitionTime: field(3, time, "The status of the condition last changed at this time."),
    reason: field(4, text, "One CamelCase word gives the reason for the last change of the condition."),
    message: field(5, text, "A text for people gives the details of the last change of the condition."),
  }),
);
export type HorizontalPodAutoscalerCondition = z.infer<typeof HorizontalPodAutoscalerCondition>;

export const HorizontalPodAutoscalerStatus = object(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus",
  "The status reports the last decision and its reasons.",
  () => ({
    observedGeneration: field(1, int64, "The autoscaler had seen this generation of the object."),
    lastScaleTime: field(2, time, "The number of pods was last changed at this time."),
    currentReplicas: field(3, int32, "The scaled object asked for this many pods when it was last read."),
    desiredReplicas: required(4, int32, "The last decision was for this many pods."),
    currentMetrics: field(5, atomicList(MetricStatus), "The metrics had these values when they were last read."),
    conditions: field(
      6,
      keyedList(HorizontalPodAutoscalerCondition, ["type"]),
      "Conditions report whether the autoscaler can scale, whether it does, and whether a bound limits it.",
    ),
  }),
);
export type HorizontalPodAutoscalerStatus = z.infer<typeof HorizontalPodAutoscalerStatus>;

export const HorizontalPodAutoscaler = kind(
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
  "A HorizontalPodAutoscaler keeps the number of an object's pods in line with their load.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(2, HorizontalPodAutoscalerSpec, "The spec names the scaled object, the metrics and the bounds."),
    status: field(3, HorizontalPodAutoscalerStatus, "The status reports the last decision and its reasons."),
  }),
);
export type HorizontalPodAutoscaler = z.infer<typeof HorizontalPodAutoscaler>;
