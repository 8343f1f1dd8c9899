import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@kintsugi/api";
import { milliQuantity, milliUnits } from "@kintsugi/api";
import type { PodView } from "../replicas/group-pods.ts";
import { type Tolerances, usageReplicas, utilizationReplicas } from "../replicas/pod-replicas.ts";
import { perPodReplicas, valueReplicas } from "../replicas/value-replicas.ts";
import { selectorText } from "../../../shared/selector-text.ts";
import { known, type MetricValues, type PodMetric, type MetricReading, notKnown } from "./metric-values.ts";

/** The size of the scaled object, and a view of its pods. */
export interface MetricContext {
  namespace: string;
  view: PodView;
  tolerances: Tolerances;
  specReplicas: number;
  statusReplicas: number;
}

export type MetricAnswer =
  | { valid: true; replicas: number; name: string; status: MetricStatus }
  | {
      valid: false;
      /** The reason of the condition and of the event. Their text is `because`. */
      reason: string;
      because: string;
      /** The text that the event about all metrics repeats. */
      summary: string;
    };

/** Returns the number of replicas that one metric recommends, with upstream's messages. */
export function evaluateMetric(
  spec: MetricSpec,
  reading: MetricReading<MetricValues>,
  context: MetricContext,
): MetricAnswer {
  const source = sourceOf(spec);
  const answer = source.evaluate(reading, context);
  if (answer.known) {
    const { replicas, name, current } = answer.value;
    return { valid: true, replicas, name, status: source.status(current) };
  }
  const { because } = answer;
  return { valid: false, reason: source.reason, because, summary: `${source.summary}: ${because}` };
}

interface Evaluated {
  replicas: number;
  name: string;
  current: MetricValueStatus;
}

interface Source {
  reason: string;
  summary: string;
  evaluate(reading: MetricReading<MetricValues>, context: MetricContext): MetricReading<Evaluated>;
  status(current: MetricValueStatus): MetricStatus;
}

function sourceOf(spec: MetricSpec): Source {
  const { resource, containerResource, pods, object, external } = spec;
  if (spec.type === "Resource" && resource) return resourceSource(resource);
  if (spec.type === "ContainerResource" && containerResource) return containerSource(containerResource);
  if (spec.type === "Pods" && pods) return podsSource(pods);
  if (spec.type === "Object" && object) return objectSource(object);
  if (spec.type === "External" && external) return externalSource(external);
  const because = `unknown metric source type ${JSON.stringify(spec.type)}`;
  return {
    reason: "InvalidMetricSourceType",
    summary: because,
    evaluate: () => notKnown(because),
    status: () => ({ type: spec.type }),
  };
}

function resourceSource({ name, target }: NonNullable<MetricSpec["resource"]>): Source {
  return {
    reason: "FailedGetResourceMetric",
    summary: `failed to get ${name} resource metric value`,
    evaluate: (reading, context) => {
      const utilization = `${name} resource utilization (percentage of request)`;
      return evaluateResource({ name, target, container: "", utilization }, reading, context);
    },
    status: (current) => ({ type: "Resource", resource: { name, current } }),
  };
}

function containerSource(source: NonNullable<MetricSpec["containerResource"]>): Source {
  const { name, target, container } = source;
  return {
    reason: "FailedGetContainerResourceMetric",
    summary: `failed to get ${container} container metric value`,
    evaluate: (reading, context) => {
      const utilization = `${name} container resource utilization (percentage of request)`;
      return evaluateResource({ name, target, container, utilization }, reading, context);
    },
    status: (current) => ({ type: "ContainerResource", containerResource: { name, container, current } }),
  };
}

interface MeasuredResource {
  name: string;
  target: MetricTarget;
  container: string;
  /** The name of the metric in conditions and events, where the target is a percentage. */
  utilization: string;
}

function evaluateResource(
  { name, target, container, utilization }: MeasuredResource,
  reading: MetricReading<MetricValues>,
  context: MetricContext,
): MetricReading<Evaluated> {
  const { averageValue, averageUtilization } = target;
  const prefix = averageValue === undefined ? `failed to get ${name} utilization` : `failed to get ${name} usage`;
  if (!reading.known) return notKnown(`${prefix}: unable to get metrics for resource ${name}: ${reading.because}`);
  const question = questionOf(reading.value, name, context);
  if (averageValue !== undefined) {
    const answer = usageReplicas(question, milliUnits(averageValue));
    if (!answer.known) return notKnown(`${prefix}: ${answer.because}`);
    const { replicas, averageMillis } = answer.value;
    return known({ replicas, name: `${name} resource`, current: { averageValue: milliQuantity(averageMillis) } });
  }
  if (averageUtilization === undefined) {
    const what = "neither an average utilization target nor an average value (usage) target was set";
    return notKnown(`invalid resource metric source: ${what}`);
  }
  const answer = utilizationReplicas(question, { percent: averageUtilization, container });
  if (!answer.known) return notKnown(`${prefix}: ${answer.because}`);
  const { replicas, percent, averageMillis } = answer.value;
  const current = { averageUtilization: percent, averageValue: milliQuantity(averageMillis) };
  return known({ replicas, name: utilization, current });
}

function questionOf(values: MetricValues, resource: string, context: MetricContext) {
  const metrics: ReadonlyMap<string, PodMetric> = values.of === "pods" ? values.pods : new Map<string, PodMetric>();
  const { view, tolerances, specReplicas: currentReplicas } = context;
  return { view, metrics, resource, tolerances, currentReplicas };
}

function podsSource({ metric, target }: NonNullable<MetricSpec["pods"]>): Source {
  return {
    reason: "FailedGetPodsMetric",
    summary: "failed to get pods metric value",
    evaluate: (reading, context) => {
      if (!reading.known) return notKnown(`unable to get metric ${metric.name}: ${reading.because}`);
      const answer = usageReplicas(questionOf(reading.value, "", context), milliUnits(target.averageValue ?? "0"));
      if (!answer.known) return answer;
      const { replicas, averageMillis } = answer.value;
      const current = { averageValue: milliQuantity(averageMillis) };
      return known({ replicas, name: `pods metric ${metric.name}`, current });
    },
    status: (current) => ({ type: "Pods", pods: { metric, current } }),
  };
}

function objectSource({ describedObject, metric, target }: NonNullable<MetricSpec["object"]>): Source {
  const { kind, name } = describedObject;
  return {
    reason: "FailedGetObjectMetric",
    summary: "failed to get object metric value",
    evaluate: (reading, context) => {
      const isValue = target.type === "Value" && target.value !== undefined;
      const isAverage = target.type === "AverageValue" && target.averageValue !== undefined;
      if (!isValue && !isAverage) return notKnown(noTarget("object"));
      if (!reading.known) {
        // The words are in the order in which upstream prints them.
        const place = `${kind} on ${context.namespace} ${name}/${reading.because}`;
        const because = `unable to get metric ${metric.name}: ${place}`;
        return notKnown(isValue ? because : `failed to get ${metric.name} object metric: ${because}`);
      }
      const perPod = isValue ? undefined : (target.averageValue ?? "0");
      const metricName = isValue ? `${kind} metric ${metric.name}` : externalName(metric);
      return evaluateValue({ value: target.value, perPod, name: metricName }, reading.value, context);
    },
    status: (current) => ({ type: "Object", object: { describedObject, metric, current } }),
  };
}

function externalSource({ metric, target }: NonNullable<MetricSpec["external"]>): Source {
  return {
    reason: "FailedGetExternalMetric",
    summary: `failed to get ${metric.name} external metric value`,
    evaluate: (reading, context) => {
      const { averageValue: perPod, value } = target;
      if (perPod === undefined && value === undefined) return notKnown(noTarget("external"));
      const prefix =
        perPod === undefined
          ? `failed to get external metric ${metric.name}`
          : `failed to get ${metric.name} external metric`;
      const answer = reading.known
        ? evaluateValue({ value, perPod, name: externalName(metric) }, reading.value, context)
        : notKnown(`unable to get external metric ${reading.because}`);
      return answer.known ? answer : notKnown(`${prefix}: ${answer.because}`);
    },
    status: (current) => ({ type: "External", external: { metric, current } }),
  };
}

function noTarget(kind: "object" | "external"): string {
  return `invalid ${kind} metric source: neither a value target nor an average value target was set`;
}

function externalName({ name, selector }: NonNullable<MetricSpec["external"]>["metric"]): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

interface ValueTarget {
  value: string | undefined;
  /** The target of each pod, which takes precedence over the target of the whole. */
  perPod: string | undefined;
  name: string;
}

function evaluateValue(target: ValueTarget, values: MetricValues, context: MetricContext): MetricReading<Evaluated> {
  const { view, tolerances, specReplicas, statusReplicas } = context;
  const millis = values.of === "others" ? values.millis : 0;
  const { name, perPod } = target;
  const targetMillis = milliUnits(perPod ?? target.value ?? "0");
  if (perPod !== undefined) {
    const { replicas, averageMillis } = perPodReplicas({ millis, targetMillis, tolerances }, statusReplicas);
    return known({ replicas, name, current: { averageValue: milliQuantity(averageMillis) } });
  }
  const size = { pods: view.pods, currentReplicas: specReplicas };
  const replicas = valueReplicas({ millis, targetMillis, tolerances }, size);
  if (!replicas.known) return replicas;
  return known({ replicas: replicas.value, name, current: { value: milliQuantity(millis) } });
}
