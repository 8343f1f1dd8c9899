import {
  formatSelector,
  groupVersionPath,
  isApiError,
  type LabelSelector,
  type MetricSpec,
  milliUnits,
  parseDurationMs,
  parseObject,
  parseTimestamp,
  podMetrics,
  type PodMetrics,
  PodMetrics as PodMetricsSchema,
  type ResourceType,
  toSelector,
} from "@kintsugi/api";
import type { Client } from "@kintsugi/client";
import { selectorText } from "../../../shared/selector-text.ts";
import { known, type MetricValues, type PodMetric, type MetricReading, notKnown } from "./metric-values.ts";

// The three APIs of metrics (pkg/controller/podautoscaler/metrics):
//
//   metrics.k8s.io            cpu and memory of pods; the API server serves it
//   custom.metrics.k8s.io     any metric of an object of the cluster; served by an adapter
//   external.metrics.k8s.io   any other metric; served by an adapter
//
// Their responses come from other programs, so any part may be missing or malformed.

export interface MetricsReaderDeps {
  client: Pick<Client, "call">;
  findType(group: string, kind: string, signal: AbortSignal): Promise<ResourceType | undefined>;
}

/** The pods of one scaled object. */
export interface PodsOfTarget {
  namespace: string;
  /** The selector from the object's scale. */
  selector: string;
}

/** The default window of a pod's custom metric. */
const windowDefaultMs = 60_000;

/**
 * Pods serve these APIs behind the API server, and may send any response: the metrics of 10,000
 * pods have 150,000 values.
 */
const foreign = { bytesMax: 8 * 1024 * 1024, valuesMax: 200_000 };

/** Reads the values of an autoscaler's metrics, and sends the same query to an API at most once. */
export class MetricsReader {
  readonly #deps: MetricsReaderDeps;

  constructor(deps: MetricsReaderDeps) {
    this.#deps = deps;
  }

  async readAll(
    specs: readonly MetricSpec[],
    pods: PodsOfTarget,
    signal: AbortSignal,
  ): Promise<MetricReading<MetricValues>[]> {
    let usage: MetricReading<PodMetrics[]> | undefined;
    const readings: MetricReading<MetricValues>[] = [];
    for (const spec of specs) {
      const { resource, containerResource } = spec;
      if (resource !== undefined || containerResource !== undefined) usage ??= await this.#usage(pods, signal);
      if (usage?.known === true && resource) readings.push(usageOfPods(usage.value, resource.name));
      else if (usage?.known === true && containerResource) {
        readings.push(usageOfContainer(usage.value, containerResource.name, containerResource.container));
      } else if (usage?.known === false && (resource ?? containerResource)) readings.push(usage);
      else readings.push(await this.#otherMetric(spec, pods, signal));
    }
    return readings;
  }

  async #usage({ namespace, selector }: PodsOfTarget, signal: AbortSignal): Promise<MetricReading<PodMetrics[]>> {
    const path = `${groupVersionPath({ group: "metrics.k8s.io", version: "v1beta1" })}/namespaces/${encodeURIComponent(namespace)}/pods?labelSelector=${encodeURIComponent(selector)}`;
    const missing = "get pods.metrics.k8s.io";
    const items = await this.#items<unknown>(path, { api: "resource", missing }, signal);
    return items.known ? known(items.value.flatMap((item) => findPodMetrics(item) ?? [])) : items;
  }

  async #otherMetric(spec: MetricSpec, pods: PodsOfTarget, signal: AbortSignal): Promise<MetricReading<MetricValues>> {
    if (spec.pods) return this.#podsMetric(spec.pods.metric, pods, signal);
    if (spec.object) return this.#objectMetric(spec.object, pods.namespace, signal);
    if (spec.external) return this.#externalMetric(spec.external.metric, pods.namespace, signal);
    return notKnown("the metric names no source");
  }

  async #podsMetric(metric: Metric, { namespace, selector }: PodsOfTarget, signal: AbortSignal) {
    const items = await this.#customMetric(
      `namespaces/${encodeURIComponent(namespace)}/pods/*/${encodeURIComponent(metric.name)}?labelSelector=${encodeURIComponent(selector)}&`,
      metric,
      signal,
    );
    if (!items.known) return items;
    const pods = new Map<string, PodMetric>();
    for (const { describedObject, timestamp, windowSeconds, value } of items.value) {
      const millis = findMillis(value);
      const atMs = findInstant(timestamp);
      if (millis === undefined || atMs === undefined) continue;
      const windowMs = typeof windowSeconds === "number" ? windowSeconds * 1000 : windowDefaultMs;
      pods.set(String(describedObject?.name), { millis, atMs, windowMs });
    }
    return known<MetricValues>({ of: "pods", pods });
  }

  async #objectMetric(
    { describedObject, metric }: NonNullable<MetricSpec["object"]>,
    namespace: string,
    signal: AbortSignal,
  ): Promise<MetricReading<MetricValues>> {
    const [group = "", version] = (describedObject.apiVersion ?? "").split("/");
    const { kind, name } = describedObject;
    const ofGroup = version === undefined ? "" : group;
    const type = await this.#deps.findType(ofGroup, kind, signal);
    const isNamespace = ofGroup === "" && kind === "Namespace";
    if (type === undefined && !isNamespace) {
      const because = `no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(ofGroup)}`;
      return notKnown(`unable to fetch metrics from custom metrics API: ${because}`);
    }
    const resource = type?.group ? `${type.resource}.${type.group}` : type?.resource;
    const place = isNamespace
      ? `namespaces/${encodeURIComponent(name)}/metrics`
      : `namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
    const items = await this.#customMetric(`${place}/${encodeURIComponent(metric.name)}?`, metric, signal);
    if (!items.known) return items;
    return valueOf(
      items.value.slice(0, 1).map(({ value }) => value),
      "custom",
    );
  }

  async #externalMetric({ name, selector }: Metric, namespace: string, signal: AbortSignal) {
    const query = `labelSelector=${encodeURIComponent(formatSelector(toSelector(selector ?? {})))}`;
    const path = `${groupVersionPath({ group: "external.metrics.k8s.io", version: "v1beta1" })}/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}?${query}`;
    const missing = `get ${name}.external.metrics.k8s.io`;
    const items = await this.#items<CustomValue>(path, { api: "external", missing }, signal);
    const values = items.known
      ? valueOf(
          items.value.map(({ value }) => value),
          "external",
        )
      : items;
    // Upstream's text of an external metric names the metric before the error.
    return values.known ? values : notKnown(`${namespace}/${name}/${selectorText(selector)}: ${values.because}`);
  }

  async #customMetric(path: string, { selector }: Metric, signal: AbortSignal): Promise<MetricReading<CustomValue[]>> {
    const version = await this.#customVersion(signal);
    if (!version.known) return version;
    const query = `metricLabelSelector=${encodeURIComponent(formatSelector(toSelector(selector ?? {})))}`;
    const root = groupVersionPath({ group: "custom.metrics.k8s.io", version: version.value });
    const missing = "get custom.metrics.k8s.io";
    return this.#items(`${root}/${path}${query}`, { api: "custom", missing }, signal);
  }

  async #customVersion(signal: AbortSignal): Promise<MetricReading<string>> {
    const none = "no custom metrics API (custom.metrics.k8s.io) registered";
    const group = await this.#call("/apis/custom.metrics.k8s.io", signal);
    if (!group.known) {
      const because = group.missing === true ? none : group.because;
      return notKnown(`unable to fetch metrics from custom metrics API: ${because}`);
    }
    const { versions = [] } = group.value as { versions?: { version?: string }[] };
    const served = ["v1beta2", "v1beta1"].find((version) => versions.some((each) => each.version === version));
    if (served === undefined) return notKnown(`unable to fetch metrics from custom metrics API: ${none}`);
    return known(served);
  }

  async #items<T>(
    path: string,
    subject: { api: string; missing: string },
    signal: AbortSignal,
  ): Promise<MetricReading<T[]>> {
    const answer = await this.#call(path, signal);
    if (!answer.known) {
      const because =
        answer.missing === true
          ? `the server could not find the requested resource (${subject.missing})`
          : answer.because;
      return notKnown(`unable to fetch metrics from ${subject.api} metrics API: ${because}`);
    }
    const { items } = answer.value as { items?: unknown };
    if (!Array.isArray(items) || items.length === 0)
      return notKnown(`no metrics returned from ${subject.api} metrics API`);
    return known(items.filter((item) => typeof item === "object" && item !== null) as T[]);
  }

  async #call(
    path: string,
    signal: AbortSignal,
  ): Promise<{ known: true; value: object } | { known: false; because: string; missing?: boolean }> {
    try {
      const value = await this.#deps.client.call({ method: "GET", path, signal, foreign });
      return known(typeof value === "object" && value !== null ? value : {});
    } catch (error) {
      if (!isApiError(error)) throw error;
      return { ...notKnown(error.message), missing: error.reason === "NotFound" };
    }
  }
}

interface Metric {
  name: string;
  selector?: LabelSelector | undefined;
}

/** An item of a MetricValueList or an ExternalMetricValueList. */
interface CustomValue {
  describedObject?: { name?: string };
  timestamp?: string;
  windowSeconds?: number;
  value?: string;
}

function findPodMetrics(item: unknown): PodMetrics | undefined {
  try {
    return parseObject<PodMetrics>(PodMetricsSchema, podMetrics, item);
  } catch (error) {
    if (!isApiError(error)) throw error;
    return undefined;
  }
}

function valueOf(values: readonly (string | undefined)[], api: string): MetricReading<MetricValues> {
  let sum = 0;
  for (const value of values) {
    const millis = findMillis(value);
    if (millis === undefined) return notKnown(`the ${api} metrics API returned a value that is not a quantity`);
    sum += millis;
  }
  return known({ of: "others", millis: sum });
}

/** The usage of whole pods; a pod with a container that was not measured has no value. */
function usageOfPods(items: readonly PodMetrics[], resource: string): MetricReading<MetricValues> {
  const pods = new Map<string, PodMetric>();
  for (const item of items) {
    const values = item.containers.map(({ usage }) => findMillis(ownValue(usage, resource)));
    if (values.length === 0 || values.includes(undefined)) continue;
    add(
      pods,
      item,
      values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
    );
  }
  return known({ of: "pods", pods });
}

function usageOfContainer(
  items: readonly PodMetrics[],
  resource: string,
  container: string,
): MetricReading<MetricValues> {
  const pods = new Map<string, PodMetric>();
  for (const item of items) {
    const found = item.containers.find(({ name }) => name === container);
    if (found === undefined) {
      const { name = "", namespace = "" } = item.metadata;
      return notKnown(
        `failed to get container metrics: container ${container} not present in metrics for pod ${namespace}/${name}`,
      );
    }
    const millis = findMillis(ownValue(found.usage, resource));
    if (millis !== undefined) add(pods, item, millis);
  }
  return known({ of: "pods", pods });
}

function add(pods: Map<string, PodMetric>, { metadata, timestamp, window }: PodMetrics, millis: number): void {
  const atMs = findInstant(timestamp);
  const windowMs = findDuration(window);
  if (atMs !== undefined && windowMs !== undefined) pods.set(metadata.name ?? "", { millis, atMs, windowMs });
}

function ownValue(usage: Readonly<Record<string, string>> | undefined, resource: string): string | undefined {
  return usage !== undefined && Object.hasOwn(usage, resource) ? usage[resource] : undefined;
}

const findMillis = attempt(milliUnits);
const findInstant = attempt(parseTimestamp);
const findDuration = attempt(parseDurationMs);

/** The value of a text that another program wrote; undefined if it is not a valid number. */
function attempt(parse: (text: string) => number): (text: string | undefined) => number | undefined {
  return (text) => {
    if (typeof text !== "string") return undefined;
    try {
      const value = parse(text);
      return Number.isFinite(value) ? value : undefined;
    } catch {
      return undefined;
    }
  };
}
