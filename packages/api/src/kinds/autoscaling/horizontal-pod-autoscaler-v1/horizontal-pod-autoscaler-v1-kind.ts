import { defineKind } from "../../define-kind.ts";
import { horizontalPodAutoscalerTable } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-table.ts";
import { horizontalPodAutoscalers } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-type.ts";
import { fromStoredAutoscaler, toStoredAutoscaler } from "./horizontal-pod-autoscaler-conversion.ts";
import { horizontalPodAutoscalersV1 } from "./horizontal-pod-autoscaler-v1-type.ts";
import { HorizontalPodAutoscalerV1 } from "./horizontal-pod-autoscaler-v1.ts";

/** The same stored objects as autoscaling/v2; defaults and validation are the same as in v2. */
export const horizontalPodAutoscalerV1Kind = defineKind<HorizontalPodAutoscalerV1>({
  type: horizontalPodAutoscalersV1,
  schema: HorizontalPodAutoscalerV1,
  strategy: { status: true },
  subresources: ["status"],
  table: {
    columns: horizontalPodAutoscalerTable.columns,
    cells: (autoscaler, nowMs) => horizontalPodAutoscalerTable.cells(toStoredAutoscaler(autoscaler), nowMs),
  },
  view: { of: horizontalPodAutoscalers, toStored: toStoredAutoscaler, fromStored: fromStoredAutoscaler },
});
