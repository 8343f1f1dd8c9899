/** A kubelet's figures of one node or container at one moment. */
export interface UsagePoint {
  atMs: number;
  /** The start of the container, when its processor time was zero. Absent for nodes. */
  startMs?: number;
  /** The processor time since the start. */
  cpuNanoseconds: number;
  memoryBytes: number;
}

/** One scrape of a kubelet's /metrics/resource. */
export interface NodeSample {
  node: UsagePoint | undefined;
  /** The points by "namespace/pod", then by container. */
  pods: ReadonlyMap<string, ReadonlyMap<string, UsagePoint>>;
}

/**
 * The last two samples of a node, reduced to the parts that can be compared: every container in
 * `previous` has run without a restart since that sample.
 */
export interface NodeSamples {
  last: NodeSample;
  previous: NodeSample;
}

export interface SampleLimits {
  /** An older sample does not show the current usage. */
  windowMaxMs: number;
  /** A more recent point is used only if there is no other point. */
  windowWantedMs: number;
  /**
   * A container that started within the window is measured from its start if it has run for at
   * least this time.
   */
  freshContainerMinMs: number;
}

const line = /^([a-z_]+)(?:\{([^}]*)\})? (\S+)(?: (\d+))?$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Parses a kubelet's exposition; other metrics are skipped. */
export function parseResourceMetrics(text: string): NodeSample {
  const node: Partial<UsagePoint> = {};
  const pods = new Map<string, Map<string, Partial<UsagePoint>>>();
  for (const row of text.split("\n")) {
    const [, name = "", labelText = "", value = "", time] = line.exec(row) ?? [];
    const labels = Object.fromEntries([...labelText.matchAll(label)].map(([, key, quoted]) => [key, quoted]));
    if (name.startsWith("node_")) note(node, name.slice("node_".length), { value: Number(value), time });
    if (!name.startsWith("container_")) continue;
    const key = `${labels["namespace"]}/${labels["pod"]}`;
    const containers = pods.get(key) ?? new Map<string, Partial<UsagePoint>>();
    pods.set(key, containers);
    const point = containers.get(labels["container"] ?? "") ?? {};
    containers.set(labels["container"] ?? "", point);
    note(point, name.slice("container_".length), { value: Number(value), time });
  }
  return {
    node: isWhole(node) ? node : undefined,
    pods: new Map([...pods].map(([key, containers]) => [key, new Map([...containers].filter(hasWhole))])),
  };
}

function note(point: Partial<UsagePoint>, what: string, { value, time }: { value: number; time: string | undefined }) {
  if (!Number.isFinite(value)) return;
  if (what === "cpu_usage_seconds_total" && time !== undefined) {
    point.cpuNanoseconds = Math.round(value * 1e9);
    point.atMs = Number(time);
  }
  if (what === "memory_working_set_bytes") point.memoryBytes = value;
  if (what === "start_time_seconds") point.startMs = value * 1000;
}

function isWhole(point: Partial<UsagePoint>): point is UsagePoint {
  return point.atMs !== undefined && point.cpuNanoseconds !== undefined && point.memoryBytes !== undefined;
}

function hasWhole(entry: [string, Partial<UsagePoint>]): entry is [string, UsagePoint] {
  return isWhole(entry[1]);
}

/** Returns a node's samples after another scrape (metrics-server pkg/storage). */
export function withSample(before: NodeSamples | undefined, sample: NodeSample, limits: SampleLimits): NodeSamples {
  const nodeBefore = before && comparable(sample.node, before.last.node, before.previous.node, limits);
  const pods = new Map<string, ReadonlyMap<string, UsagePoint>>();
  for (const [key, containers] of sample.pods) {
    const previous = new Map<string, UsagePoint>();
    for (const [name, point] of containers) {
      const of = (from: NodeSample | undefined) => from?.pods.get(key)?.get(name);
      const found = comparable(point, of(before?.last), of(before?.previous), limits) ?? beginning(point, limits);
      if (found) previous.set(name, found);
    }
    pods.set(key, previous);
  }
  return { last: sample, previous: { node: nodeBefore, pods } };
}

/**
 * Returns the newer of the earlier points that are far enough from `point` for a comparison; the
 * older point if both are too close.
 */
function comparable(
  point: UsagePoint | undefined,
  last: UsagePoint | undefined,
  previous: UsagePoint | undefined,
  limits: SampleLimits,
): UsagePoint | undefined {
  if (!point) return undefined;
  const usable = [last, previous].filter(
    (earlier) =>
      earlier !== undefined &&
      earlier.atMs < point.atMs &&
      point.atMs - earlier.atMs <= limits.windowMaxMs &&
      earlier.cpuNanoseconds <= point.cpuNanoseconds &&
      // A new instance under the same name has counted from zero.
      (point.startMs === undefined || point.startMs < earlier.atMs),
  );
  return usable.find((earlier) => earlier && point.atMs - earlier.atMs >= limits.windowWantedMs) ?? usable.at(-1);
}

function beginning(point: UsagePoint, limits: SampleLimits): UsagePoint | undefined {
  const { startMs } = point;
  if (startMs === undefined) return undefined;
  const ranMs = point.atMs - startMs;
  if (ranMs < limits.freshContainerMinMs || ranMs > limits.windowMaxMs) return undefined;
  return { ...point, atMs: startMs, cpuNanoseconds: 0 };
}

/** Reports whether a running container or node has only one point. */
export function lacksPrevious({ last, previous }: NodeSamples): boolean {
  if (last.node && !previous.node) return true;
  for (const [key, containers] of last.pods) {
    for (const name of containers.keys()) if (!previous.pods.get(key)?.has(name)) return true;
  }
  return false;
}

export interface Usage {
  cpuNanoCores: number;
  memoryBytes: number;
  atMs: number;
  windowMs: number;
}

/** Returns the usage between two points. */
export function usageBetween(last: UsagePoint, previous: UsagePoint): Usage {
  const windowMs = last.atMs - previous.atMs;
  const cpuNanoCores = Math.floor(((last.cpuNanoseconds - previous.cpuNanoseconds) / windowMs) * 1000);
  return { cpuNanoCores, memoryBytes: last.memoryBytes, atMs: last.atMs, windowMs };
}
