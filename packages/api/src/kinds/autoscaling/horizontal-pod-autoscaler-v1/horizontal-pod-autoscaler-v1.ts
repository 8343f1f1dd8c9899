import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, text, time } from "../../../schema/types.ts";

const ScaleTargetReferenceV1 = atomicObject(
  "io.k8s.api.autoscaling.v1.CrossVersionObjectReference",
  "Reference to an object in the same namespace.",
  () => ({
    kind: required(1, text, "Kind of the object, such as Deployment."),
    name: required(2, text, "Name of the object."),
    apiVersion: field(3, text, "API group and version of the kind, such as apps/v1."),
  }),
);

const HorizontalPodAutoscalerSpecV1 = object(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec",
  "Scaled object, target CPU utilization and limits of the autoscaler.",
  () => ({
    scaleTargetRef: required(
      1,
      ScaleTargetReferenceV1,
      "Object to scale through the subresource scale. The metrics are collected from the object's pods.",
    ),
    minReplicas: field(2, int32, "Minimum number of pods. Defaults to 1."),
    maxReplicas: required(3, int32, "Maximum number of pods. Must not be less than minReplicas."),
    targetCPUUtilizationPercentage: field(
      4,
      int32,
      "Target average CPU utilization of the pods, in percent of their requests. Defaults to 80 if there is no other metric.",
    ),
  }),
);

const HorizontalPodAutoscalerStatusV1 = object(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus",
  "Last decision of the autoscaler.",
  () => ({
    observedGeneration: field(1, int64, "Generation of the object that the status describes."),
    lastScaleTime: field(2, time, "Time at which the number of pods last changed."),
    currentReplicas: required(3, int32, "Last observed number of pods of the scaled object."),
    desiredReplicas: required(4, int32, "Number of pods that the autoscaler last calculated."),
    currentCPUUtilizationPercentage: field(
      5,
      int32,
      "Last observed average CPU utilization of the pods, in percent of their requests.",
    ),
  }),
);

export const HorizontalPodAutoscalerV1 = kind(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
  "A HorizontalPodAutoscaler adjusts the number of pods of an object to their CPU utilization.",
  () => ({
    metadata: always(1, ObjectMeta, "Name, namespace, labels and owners of the object."),
    spec: required(
      2,
      HorizontalPodAutoscalerSpecV1,
      "Scaled object, target CPU utilization and limits of the autoscaler.",
    ),
    status: field(3, HorizontalPodAutoscalerStatusV1, "Last decision of the autoscaler."),
  }),
);
export type HorizontalPodAutoscalerV1 = z.infer<typeof HorizontalPodAutoscalerV1>;
