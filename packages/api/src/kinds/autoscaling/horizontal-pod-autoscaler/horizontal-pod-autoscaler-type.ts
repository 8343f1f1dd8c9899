import type { ResourceType } from "../../../meta/resource-type.ts";
import type { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

export const horizontalPodAutoscalers: ResourceType<HorizontalPodAutoscaler> = {
  group: "autoscaling",
  version: "v2",
  resource: "horizontalpodautoscalers",
  singular: "horizontalpodautoscaler",
  kind: "HorizontalPodAutoscaler",
  namespaced: true,
  shortNames: ["hpa"],
  categories: ["all"],
};
