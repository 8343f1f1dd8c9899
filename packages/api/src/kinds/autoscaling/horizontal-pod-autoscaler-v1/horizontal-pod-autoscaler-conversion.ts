import type { z } from "zod";
import type { ApiObject } from "../../../meta/api-object.ts";
import type { ObjectMeta } from "../../../meta/object-meta.ts";
import { apiVersionOf } from "../../../meta/resource-type.ts";
import { decoderOf, mismatch } from "../../../parsing/decoder.ts";
import { parseForeignJson } from "../../../parsing/json-budget.ts";
import { withoutUndefined } from "../../../values/without-undefined.ts";
import { cpuMetric } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-defaults.ts";
import { horizontalPodAutoscalers } from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler-type.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
} from "../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import type { MetricSpec } from "../horizontal-pod-autoscaler/scaling-metrics.ts";
import { dropRoundTripAnnotations, roundTripAnnotations } from "../horizontal-pod-autoscaler/round-trip-annotations.ts";
import { formatBehavior, parseBehavior } from "./behavior-annotation.ts";
import { horizontalPodAutoscalersV1 } from "./horizontal-pod-autoscaler-v1-type.ts";
import type { HorizontalPodAutoscalerV1 } from "./horizontal-pod-autoscaler-v1.ts";
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from "./metric-conversion.ts";
import { annotationLists, type MetricStatusV1 } from "./scaling-metrics-v1.ts";

// Follows pkg/apis/autoscaling/v1/conversion.go. autoscaling/v1 has one metric, the CPU usage in
// percent. The other fields of autoscaling/v2 are stored in annotations, so that a client of v1
// reads an object, and writes it back without losing fields.
//
//   v2                                          v1
//   spec.metrics[cpu, Utilization]         ⇄    spec.targetCPUUtilizationPercentage
//   spec.metrics[others]                   ⇄    annotation …/metrics
//   spec.behavior                          ⇄    annotation …/behavior
//   status.currentMetrics                  ⇄    annotation …/current-metrics
//   status.conditions                      ⇄    annotation …/conditions

export function fromStoredAutoscaler(object: ApiObject): HorizontalPodAutoscalerV1 {
  const { metadata, spec, status } = object as HorizontalPodAutoscaler;
  const cpu = findCpuMetric(spec.metrics ?? []);
  return withoutUndefined<HorizontalPodAutoscalerV1>({
    apiVersion: apiVersionOf(horizontalPodAutoscalersV1),
    kind: horizontalPodAutoscalersV1.kind,
    metadata: withAnnotations(metadata, roundTripValues({ metadata, spec, status }, cpu)),
    spec: withoutUndefined({
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage: cpu?.resource?.target.averageUtilization,
    }),
    status:
      status &&
      withoutUndefined({
        observedGeneration: status.observedGeneration,
        lastScaleTime: status.lastScaleTime,
        currentReplicas: status.currentReplicas ?? 0,
        desiredReplicas: status.desiredReplicas,
        currentCPUUtilizationPercentage: status.currentMetrics?.findLast(
          ({ resource }) => resource?.name === "cpu" && resource.current.averageUtilization !== undefined,
        )?.resource?.current.averageUtilization,
      }),
  });
}

/** The only metric with its own field: the first CPU metric, if it is a percentage. */
function findCpuMetric(metrics: readonly MetricSpec[]): MetricSpec | undefined {
  const cpu = metrics.find(({ type, resource }) => type === "Resource" && resource?.name === "cpu");
  return cpu?.resource?.target.averageUtilization === undefined ? undefined : cpu;
}

function roundTripValues({ spec, status }: HorizontalPodAutoscaler, cpu: MetricSpec | undefined) {
  const others = (spec.metrics ?? []).filter((metric) => metric !== cpu);
  const { currentMetrics = [], conditions = [] } = status ?? {};
  const texts: Record<string, string> = {};
  if (others.length > 0) texts[roundTripAnnotations.metrics] = JSON.stringify(others.map(metricToV1));
  if (spec.behavior !== undefined) texts[roundTripAnnotations.behavior] = formatBehavior(spec.behavior);
  if (currentMetrics.length > 0) {
    texts[roundTripAnnotations.currentMetrics] = JSON.stringify(currentMetrics.map(metricStatusToV1));
  }
  if (conditions.length > 0) texts[roundTripAnnotations.conditions] = JSON.stringify(conditions);
  return texts;
}

function withAnnotations(metadata: ObjectMeta, added: Readonly<Record<string, string>>): ObjectMeta {
  if (Object.keys(added).length === 0) return metadata;
  return { ...metadata, annotations: { ...metadata.annotations, ...added } };
}

/** An annotation that does not decode is ignored, as in upstream. */
export function toStoredAutoscaler({ metadata, spec, status }: HorizontalPodAutoscalerV1): HorizontalPodAutoscaler {
  const annotation = (name: keyof typeof roundTripAnnotations) => metadata.annotations?.[roundTripAnnotations[name]];
  const { targetCPUUtilizationPercentage: cpuPercent, ...bounds } = spec;
  const others = (decodeList(annotationLists.metrics, annotation("metrics")) ?? []).map(metricFromV1);
  const cpu = cpuPercent === undefined ? [] : [cpuMetric(cpuPercent)];
  const behavior = parseBehavior(parseJson(annotation("behavior")));
  const statuses = decodeList(annotationLists.currentMetrics, annotation("currentMetrics"));
  const conditions = decodeList(annotationLists.conditions, annotation("conditions"));
  const stored: HorizontalPodAutoscaler = {
    apiVersion: apiVersionOf(horizontalPodAutoscalers),
    kind: horizontalPodAutoscalers.kind,
    metadata: { ...metadata, ...(metadata.annotations && { annotations: { ...metadata.annotations } }) },
    spec: withoutUndefined({ ...bounds, metrics: [...others, ...cpu], behavior }),
    status: status && statusFromV1(status, { statuses, conditions }),
  };
  dropRoundTripAnnotations(stored.metadata);
  return withoutUndefined(stored);
}

interface StatusAnnotations {
  statuses: readonly MetricStatusV1[] | undefined;
  conditions: HorizontalPodAutoscalerCondition[] | undefined;
}

function statusFromV1(
  status: NonNullable<HorizontalPodAutoscalerV1["status"]>,
  { statuses, conditions }: StatusAnnotations,
): HorizontalPodAutoscaler["status"] {
  const { currentCPUUtilizationPercentage: averageUtilization, ...others } = status;
  const ofField =
    averageUtilization === undefined
      ? undefined
      : [{ type: "Resource" as const, resource: { name: "cpu", current: { averageUtilization } } }];
  // The annotation has the raw value in addition to the percentage.
  const currentMetrics = statuses?.map(metricStatusFromV1) ?? ofField;
  return withoutUndefined({ ...others, currentMetrics, conditions });
}

function decodeList<T>(schema: z.ZodType<T[]>, text: string | undefined): T[] | undefined {
  const decoded = decoderOf(schema)(parseJson(text));
  return decoded === mismatch ? undefined : (decoded as T[]);
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return parseForeignJson(text);
  } catch {
    return undefined;
  }
}
