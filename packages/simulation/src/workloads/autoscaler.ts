import { cpuMillicores, type HorizontalPodAutoscaler } from "@kintsugi/api";
import type { ScenarioWorkload } from "../scenario/scenario.ts";
import { kindOf } from "./workload-kinds.ts";

/** Scales a workload by the CPU time that its pods use on average. */
export function anAutoscaler(
  workload: ScenarioWorkload,
  { min, max, cpu }: NonNullable<ScenarioWorkload["autoscale"]>,
): HorizontalPodAutoscaler {
  const { group, version, kind } = kindOf(workload).type;
  const { name } = workload;
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: group === "" ? version : `${group}/${version}`, kind, name },
      minReplicas: min,
      maxReplicas: max,
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: cpu } } }],
    },
  };
}

/** Deviations from the wanted average that have no effect; the controller's default. */
const tolerance = 0.1;

/** Reports whether an autoscaler does not change a workload of this size under this load. */
export function isRightSize(
  size: number,
  { loadMillicores, autoscale }: { loadMillicores: number; autoscale: NonNullable<ScenarioWorkload["autoscale"]> },
): boolean {
  const { min, max, cpu } = autoscale;
  if (size < min || size > max) return false;
  const ratio = Math.floor(loadMillicores / size) / cpuMillicores(cpu);
  if (Math.abs(ratio - 1) <= tolerance) return true;
  return Math.min(max, Math.max(min, Math.ceil(ratio * size))) === size;
}
