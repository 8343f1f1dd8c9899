import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules } from "./horizontal-pod-autoscaler.ts";
import type { MetricSpec } from "./scaling-metrics.ts";
import { dropRoundTripAnnotations } from "./round-trip-annotations.ts";

/** Follows DefaultCPUUtilization of pkg/apis/autoscaling. */
const cpuUtilizationPercent = 80;

/** Follows pkg/apis/autoscaling/v2/defaults.go. */
export function setHorizontalPodAutoscalerDefaults({ metadata, spec }: HorizontalPodAutoscaler): void {
  dropRoundTripAnnotations(metadata);
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(cpuUtilizationPercent)];
  if (spec.behavior === undefined) return;
  spec.behavior.scaleUp = withRuleDefaults(spec.behavior.scaleUp, defaultScaleUpRules);
  spec.behavior.scaleDown = withRuleDefaults(spec.behavior.scaleDown, defaultScaleDownRules);
}

/** The metric that autoscaling/v1 has as a single field. */
export function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

type RuleDefaults = HPAScalingRules & { policies: readonly HPAScalingPolicy[] };

const defaultScaleUpRules: RuleDefaults = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};

/** A controller option sets the stabilization window, so it does not have a default here. */
const defaultScaleDownRules: RuleDefaults = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

function withRuleDefaults(rules: HPAScalingRules | undefined, defaults: RuleDefaults): HPAScalingRules {
  const { policies, ...others } = defaults;
  return { ...others, policies: policies.map((policy) => ({ ...policy })), ...rules };
}
