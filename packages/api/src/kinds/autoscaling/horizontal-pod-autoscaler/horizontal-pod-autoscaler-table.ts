import { formatAge } from "../../../table/cells.ts";
import { ageColumn, column, type KindTable, nameColumn } from "../../../table/columns.ts";
import type { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "./scaling-metrics.ts";

/** Follows upstream's printer. */
export const horizontalPodAutoscalerTable: KindTable<HorizontalPodAutoscaler> = {
  columns: [
    nameColumn,
    column("Reference", "Object that the autoscaler scales."),
    column("Targets", "Current and target value of each metric."),
    column("MinPods", "Minimum number of pods."),
    column("MaxPods", "Maximum number of pods."),
    column("Replicas", "Current number of pods."),
    ageColumn,
  ],
  cells: (autoscaler, nowMs) => {
    const { metadata, spec, status } = autoscaler;
    return [
      metadata.name ?? "",
      `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
      formatMetrics(spec.metrics ?? [], status?.currentMetrics ?? []),
      String(spec.minReplicas ?? "<unset>"),
      spec.maxReplicas,
      status?.currentReplicas ?? 0,
      formatAge(autoscaler, nowMs),
    ];
  },
};

/** Further metrics are counted instead of shown. */
const shownMetricsMax = 2;

function formatMetrics(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, shownMetricsMax).map((metric, index) => formatMetric(metric, statuses[index]));
  const more = metrics.length - shownMetricsMax;
  return more > 0 ? `${shown.join(", ")} + ${more} more...` : shown.join(", ");
}

function formatMetric(metric: MetricSpec, status: MetricStatus | undefined): string {
  switch (metric.type) {
    case "External":
      return formatValue(metric.external?.target, status?.external?.current);
    case "Object":
      return formatValue(metric.object?.target, status?.object?.current);
    case "Pods":
      return `${status?.pods?.current.averageValue ?? unknown}/${metric.pods?.target.averageValue ?? unknown}`;
    case "Resource":
      return formatResource(metric.resource, status?.resource?.current);
    case "ContainerResource":
      return formatResource(metric.containerResource, status?.containerResource?.current);
    default:
      return "<unknown type>";
  }
}

const unknown = "<unknown>";

function formatValue(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? unknown}`;
}

function formatResource(
  source: { name: string; target: MetricTarget } | undefined,
  current: MetricValueStatus | undefined,
): string {
  const { name = "", target } = source ?? {};
  if (target?.averageValue !== undefined) {
    return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`;
  }
  const percent = (value: number | undefined, absent: string) => (value === undefined ? absent : `${value}%`);
  const wanted = percent(target?.averageUtilization, "<auto>");
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${wanted}`;
}
