import type { ResourceType } from "../../../meta/resource-type.ts";
import type { HorizontalPodAutoscalerV1 } from "./horizontal-pod-autoscaler-v1.ts";

/** The same objects as `horizontalPodAutoscalers`, in their older representation. */
export const horizontalPodAutoscalersV1: ResourceType<HorizontalPodAutoscalerV1> = {
  group: "autoscaling",
  version: "v1",
  resource: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
  shortNames: ["hpa"],
  categories: ["all"],
};
