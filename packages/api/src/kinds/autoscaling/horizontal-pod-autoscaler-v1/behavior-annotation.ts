import { decoderOf, mismatch } from "../../../parsing/decoder.ts";
import {
  HorizontalPodAutoscalerBehavior,
  type HPAScalingRules,
} from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";

/**
 * The behavior as an annotation of autoscaling/v1. Upstream writes a Go type without JSON names
 * into it, so its keys begin with capitals and unset fields are null.
 */
export function formatBehavior({ scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior): string {
  return JSON.stringify({ ScaleUp: formatRules(scaleUp), ScaleDown: formatRules(scaleDown) });
}

function formatRules(rules: HPAScalingRules | undefined) {
  if (rules === undefined) return null;
  return {
    StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
    SelectPolicy: rules.selectPolicy ?? null,
    Policies: rules.policies?.map(({ type: Type, value: Value, periodSeconds: PeriodSeconds }) => ({
      Type,
      Value,
      PeriodSeconds,
    })),
    Tolerance: rules.tolerance ?? null,
  };
}

/** @returns undefined for text that is not a valid behavior, which upstream ignores. */
export function parseBehavior(json: unknown): HorizontalPodAutoscalerBehavior | undefined {
  const decoded = decoderOf(HorizontalPodAutoscalerBehavior)(withLowerKeys(json, keyLevels));
  if (decoded === mismatch) return undefined;
  const behavior = decoded as HorizontalPodAutoscalerBehavior;
  return behavior.scaleUp === undefined && behavior.scaleDown === undefined ? undefined : behavior;
}

/** Levels whose keys are converted: behavior, rules, list of policies, and policy. */
const keyLevels = 4;

/** Returns the value with keys that begin in lower case, down to the depth of a behavior. */
function withLowerKeys(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withLowerKeys(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.charAt(0).toLowerCase() + key.slice(1),
      withLowerKeys(member, levels - 1),
    ]),
  );
}
