import type { Faults } from "../../../validation/faults.ts";
import { parseQuantity } from "../../../values/quantity.ts";
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules } from "./horizontal-pod-autoscaler.ts";
import { validateMetricSpec, validateReference } from "./metric-validation.ts";

/** Scaling to zero is behind upstream's gate HPAScaleToZero, which is off by default. */
const minReplicasLeast = 1;

/** Follows validateHorizontalPodAutoscalerSpec of pkg/apis/autoscaling/validation. */
export function validateHorizontalPodAutoscaler({ spec }: HorizontalPodAutoscaler, faults: Faults): void {
  const { minReplicas, maxReplicas, metrics = [], behavior } = spec;
  if (minReplicas !== undefined && minReplicas < minReplicasLeast) {
    faults.invalid("spec.minReplicas", minReplicas, `must be greater than or equal to ${minReplicasLeast}`);
  }
  if (maxReplicas < 1) faults.invalid("spec.maxReplicas", maxReplicas, "must be greater than 0");
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    faults.invalid("spec.maxReplicas", maxReplicas, "must be greater than or equal to `minReplicas`");
  }
  validateReference(spec.scaleTargetRef, "spec.scaleTargetRef", faults);
  for (const [index, metric] of metrics.entries()) validateMetricSpec(metric, `spec.metrics[${index}]`, faults);
  if (minReplicas === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    faults.forbidden("spec.metrics", detail);
  }
  validateRules(behavior?.scaleUp, "spec.behavior.scaleUp", faults);
  validateRules(behavior?.scaleDown, "spec.behavior.scaleDown", faults);
}

/** Follows ValidateHorizontalPodAutoscalerStatusUpdate. */
export function validateHorizontalPodAutoscalerStatus({ status }: HorizontalPodAutoscaler, faults: Faults): void {
  faults.notNegative("status.currentReplicas", status?.currentReplicas);
  faults.notNegative("status.desiredReplicas", status?.desiredReplicas);
}

const stabilizationWindowSecondsMax = 3600;
const selectPolicies = ["Disabled", "Max", "Min"];

function validateRules(rules: HPAScalingRules | undefined, path: string, faults: Faults): void {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [], tolerance } = rules;
  if (window !== undefined && window < 0) {
    faults.invalid(`${path}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero");
  }
  if (window !== undefined && window > stabilizationWindowSecondsMax) {
    const detail = `must be less than or equal to ${stabilizationWindowSecondsMax}`;
    faults.invalid(`${path}.stabilizationWindowSeconds`, window, detail);
  }
  if (selectPolicy !== undefined && !selectPolicies.includes(selectPolicy)) {
    faults.notSupported(`${path}.selectPolicy`, selectPolicy, selectPolicies);
  }
  if (policies.length === 0) faults.required(`${path}.policies`, "must specify at least one Policy");
  for (const [index, policy] of policies.entries()) validatePolicy(policy, `${path}.policies[${index}]`, faults);
  if (tolerance !== undefined && parseQuantity(tolerance).nanos < 0n) {
    faults.invalid(`${path}.tolerance`, tolerance, "must be greater than or equal to 0");
  }
}

const policyPeriodSecondsMax = 1800;
const policyTypes = ["Percent", "Pods"];

function validatePolicy({ type, value, periodSeconds }: HPAScalingPolicy, path: string, faults: Faults): void {
  if (!policyTypes.includes(type)) faults.notSupported(`${path}.type`, type, policyTypes);
  if (value <= 0) faults.invalid(`${path}.value`, value, "must be greater than zero");
  if (periodSeconds <= 0) faults.invalid(`${path}.periodSeconds`, periodSeconds, "must be greater than zero");
  if (periodSeconds > policyPeriodSecondsMax) {
    const detail = `must be less than or equal to ${policyPeriodSecondsMax}`;
    faults.invalid(`${path}.periodSeconds`, periodSeconds, detail);
  }
}
