import { defineKind } from "../../define-kind.ts";
import { setHorizontalPodAutoscalerDefaults } from "./horizontal-pod-autoscaler-defaults.ts";
import { horizontalPodAutoscalerTable } from "./horizontal-pod-autoscaler-table.ts";
import { horizontalPodAutoscalers } from "./horizontal-pod-autoscaler-type.ts";
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatus,
} from "./horizontal-pod-autoscaler-validation.ts";
import { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

export const horizontalPodAutoscalerKind = defineKind<HorizontalPodAutoscaler>({
  type: horizontalPodAutoscalers,
  schema: HorizontalPodAutoscaler,
  defaults: setHorizontalPodAutoscalerDefaults,
  validation: { validate: validateHorizontalPodAutoscaler, status: validateHorizontalPodAutoscalerStatus },
  strategy: {
    status: true,
    prepareForCreate: (autoscaler) => {
      // Upstream sets the status of a new object, too.
      autoscaler.status = { desiredReplicas: 0 };
    },
  },
  subresources: ["status"],
  table: horizontalPodAutoscalerTable,
});
