import type { z } from "zod";
import { ObjectMeta } from "../../../meta/object-meta.ts";
import { always, atomicObject, field, kind, object, required } from "../../../schema/fields.ts";
import { int32, int64, text, time } from "../../../schema/types.ts";

const ScaleTargetReferenceV1 = atomicObject(
  "io.k8s.api.autoscaling.v1.CrossVersionObjectReference",
  "A reference names an object of the same namespace.",
  () => ({
    kind: required(1, text, "The object is of this kind, such as Deployment."),
    name: required(2, text, "The object has this name."),
    apiVersion: field(3, text, "The kind belongs to this API group and version, such as apps/v1."),
  }),
);

const HorizontalPodAutoscalerSpecV1 = object(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec",
  "The spec names the scaled object, the wanted usage of processors and the bounds.",
  () => ({
    scaleTargetRef: required(
      1,
      ScaleTargetReferenceV1,
      "The object with this name is scaled by its subresource scale, and the usage is that of its pods.",
    ),
    minReplicas: field(2, int32, "There are at least this many pods; the default is 1."),
    maxReplicas: required(3, int32, "There are at most this many pods; it must not be less than minReplicas."),
    targetCPUUtilizationPercentage: field(
      4,
      int32,
      "The pods should use this percentage of their requested processors on average; the default is 80 if there is no other metric.",
    ),
  }),
);

const HorizontalPodAutoscalerStatusV1 = object(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus",
  "The status reports the last decision.",
  () => ({
    observedGeneration: field(1, int64, "The autoscaler had seen this generation of the object."),
    lastScaleTime: field(2, time, "The number of pods was last changed at this time."),
    currentReplicas: required(3, int32, "The scaled object asked for this many pods when it was last read."),
    desiredReplicas: required(4, int32, "The last decision was for this many pods."),
    currentCPUUtilizationPercentage: field(
      5,
      int32,
      "The pods used this percentage of their requested processors on average when it was last read.",
    ),
  }),
);

export const HorizontalPodAutoscalerV1 = kind(
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
  "A HorizontalPodAutoscaler keeps the number of an object's pods in line with their usage of processors.",
  () => ({
    metadata: always(1, ObjectMeta, "Metadata holds the object's name, namespace, labels and owners."),
    spec: required(
      2,
      HorizontalPodAutoscalerSpecV1,
      "The spec names the scaled object, the wanted usage of processors and the bounds.",
    ),
    status: field(3, HorizontalPodAutoscalerStatusV1, "The status reports the last decision."),
  }),
);
export type HorizontalPodAutoscalerV1 = z.infer<typeof HorizontalPodAutoscalerV1>;
