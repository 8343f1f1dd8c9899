import type { ClaimUsage } from "./claim-usages.ts";
import type { Summary } from "./stats-api.ts";

interface Series {
  name: string;
  help: string;
  type: "counter" | "gauge";
  samples: Sample[];
}

interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
  /** The time of the measurement. */
  time?: number;
}

export const resourceMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Writes the answer of /metrics/resource (pkg/kubelet/metrics/collectors/resource_metrics.go).
 * Undefined: the summary could not be made.
 */
export function resourceMetrics(summary: Summary | undefined): string {
  const failed: Series = {
    name: "resource_scrape_error",
    help: "1 if there was an error while getting container metrics, 0 otherwise",
    type: "gauge",
    samples: [{ value: summary ? 0 : 1 }],
  };
  return [...(summary ? seriesOf(summary) : []), failed].map(exposition).join("");
}

/**
 * Writes upstream's kubelet_volume_stats_* (metrics/collectors/volume_stats.go), which are at
 * /metrics next to the kubelet's own metrics.
 */
export function volumeMetrics(usages: readonly ClaimUsage[]): string {
  const figures: [name: string, help: string, of: (usage: ClaimUsage) => number][] = [
    ["capacity_bytes", "Capacity in bytes of the volume", (usage) => usage.capacityBytes],
    ["available_bytes", "Number of available bytes in the volume", (usage) => usage.availableBytes],
    ["used_bytes", "Number of used bytes in the volume", (usage) => usage.capacityBytes - usage.availableBytes],
    ["inodes", "Maximum number of inodes in the volume", (usage) => usage.inodes],
    ["inodes_free", "Number of free inodes in the volume", (usage) => usage.inodesFree],
    ["inodes_used", "Number of used inodes in the volume", (usage) => usage.inodes - usage.inodesFree],
  ];
  const all = figures.map(([name, help, of]): Series => {
    const samples = usages.map((usage) => ({
      labels: { namespace: usage.claim.namespace, persistentvolumeclaim: usage.claim.name },
      value: of(usage),
    }));
    return { name: `kubelet_volume_stats_${name}`, help: `[ALPHA] ${help}`, type: "gauge", samples };
  });
  return all.map(exposition).join("");
}

function seriesOf({ node, pods }: Summary): Series[] {
  const containers = pods.flatMap(({ podRef: { name: pod, namespace }, containers: all }) =>
    all.map((container) => ({ container, labels: { container: container.name, pod, namespace } })),
  );
  const seconds = (cpu: { usageCoreNanoSeconds: number; time: number }) => ({
    value: cpu.usageCoreNanoSeconds / 1e9,
    time: cpu.time,
  });
  const bytes = (memory: { workingSetBytes: number; time: number }) => ({
    value: memory.workingSetBytes,
    time: memory.time,
  });
  const podLabels = ({ podRef }: Summary["pods"][number]) => ({ pod: podRef.name, namespace: podRef.namespace });
  return [
    counter(
      "container_cpu_usage_seconds_total",
      "Cumulative cpu time consumed by the container in core-seconds",
      containers.map(({ container, labels }) => ({ labels, ...seconds(container.cpu) })),
    ),
    gauge(
      "container_memory_working_set_bytes",
      "Current working set of the container in bytes",
      containers.map(({ container, labels }) => ({ labels, ...bytes(container.memory) })),
    ),
    gauge(
      "container_start_time_seconds",
      "Start time of the container since unix epoch in seconds",
      containers.map(({ container, labels }) => ({ labels, value: container.startTime / 1000 })),
    ),
    counter("node_cpu_usage_seconds_total", "Cumulative cpu time consumed by the node in core-seconds", [
      seconds(node.cpu),
    ]),
    gauge("node_memory_working_set_bytes", "Current working set of the node in bytes", [bytes(node.memory)]),
    counter(
      "pod_cpu_usage_seconds_total",
      "Cumulative cpu time consumed by the pod in core-seconds",
      pods.flatMap((pod) => (pod.cpu ? [{ labels: podLabels(pod), ...seconds(pod.cpu) }] : [])),
    ),
    gauge(
      "pod_memory_working_set_bytes",
      "Current working set of the pod in bytes",
      pods.flatMap((pod) => (pod.memory ? [{ labels: podLabels(pod), ...bytes(pod.memory) }] : [])),
    ),
  ];
}

function counter(name: string, help: string, samples: Sample[]): Series {
  return { name, help: `[STABLE] ${help}`, type: "counter", samples };
}

function gauge(name: string, help: string, samples: Sample[]): Series {
  return { name, help: `[STABLE] ${help}`, type: "gauge", samples };
}

function exposition({ name, help, type, samples }: Series): string {
  if (samples.length === 0) return "";
  const lines = samples.map(({ labels = {}, value, time }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text.replaceAll(/["\\\n]/g, escaped)}"`);
    // The format has whole milliseconds; a machine's clock may have fractions of milliseconds.
    const suffix = time === undefined ? "" : ` ${Math.round(time)}`;
    return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}${suffix}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function escaped(character: string): string {
  return character === "\n" ? String.raw`\n` : `\\${character}`;
}
