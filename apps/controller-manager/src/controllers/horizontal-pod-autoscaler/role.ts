import { eventsPolicyRule, policyRule } from "@kintsugi/api";
import type { ControllerRole } from "../../shared/roles/controller-role.ts";

export const horizontalPodAutoscalerRole: ControllerRole = {
  name: "system:controller:horizontal-pod-autoscaler",
  rules: [
    policyRule("get list watch", "autoscaling", "horizontalpodautoscalers"),
    policyRule("update", "autoscaling", "horizontalpodautoscalers/status"),
    policyRule("get update", "*", "*/scale"),
    policyRule("get list watch", "core", "pods"),
    policyRule("list", "metrics.k8s.io", "pods"),
    policyRule("get list", "custom.metrics.k8s.io", "*"),
    policyRule("get list", "external.metrics.k8s.io", "*"),
    eventsPolicyRule,
  ],
};
