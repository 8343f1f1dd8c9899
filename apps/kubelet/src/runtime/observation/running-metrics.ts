import type { Gauge, Histogram, Metrics, Pod } from "@kintsugi/api";
import type { Informer } from "@kintsugi/client";
import type { Clock } from "@kintsugi/clock";
import type { RuntimeRecords } from "./container-events.ts";
import type { Pleg } from "./pleg.ts";

/** Upstream's, in seconds. */
const startBuckets = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];

export interface MeasureRunningDeps {
  clock: Clock;
  metrics: Metrics;
  pleg: Pick<Pleg, "records" | "onPodChanged" | "noteObserved">;
  pods: Pick<Informer<Pod>, "onChange">;
}

/**
 * Starts to measure the node's running containers and the time that pods took to start. Returns
 * `pleg.noteObserved`, which the readers of the runtime call, because the generator does not report
 * changes that they read first.
 */
export function measureRunning(deps: MeasureRunningDeps, options: { nodeName: string }): Pleg["noteObserved"] {
  const { pleg } = deps;
  const measured = new RunningMetrics(deps, options);
  measured.follow(deps.pods);
  pleg.onPodChanged(() => measured.count(pleg.records));
  return (read) => {
    const observed = pleg.noteObserved(read);
    measured.count(pleg.records);
    return observed;
  };
}

/** The numbers, under upstream's names. */
class RunningMetrics {
  readonly #clock: Clock;
  readonly #pods: Gauge;
  readonly #containers: Gauge;
  readonly #starts: Histogram;
  /**
   * The time at which a pod that has not started was first seen, by UID; removed when the pod runs
   * or no longer exists.
   */
  readonly #seenAtMs = new Map<string, number>();
  readonly #states = new Set<string>();

  constructor(deps: { clock: Clock; metrics: Metrics }, options: { nodeName: string }) {
    const { clock, metrics } = deps;
    this.#clock = clock;
    this.#pods = metrics.gauge({
      name: "kubelet_running_pods",
      help: "Number of pods that have a running pod sandbox.",
    });
    this.#containers = metrics.gauge({
      name: "kubelet_running_containers",
      help: "Number of containers currently known, by state.",
      labels: ["container_state"],
    });
    this.#starts = metrics.histogram({
      name: "kubelet_pod_start_duration_seconds",
      help: "Duration in seconds from kubelet seeing a pod for the first time to the pod starting to run.",
      buckets: startBuckets,
    });
    const name = metrics.gauge({
      name: "kubelet_node_name",
      help: "The node's name. The count is always 1.",
      labels: ["node"],
    });
    name.set(1, { node: options.nodeName });
  }

  /** Times the starts of these pods from now on. */
  follow(pods: Pick<Informer<Pod>, "onChange">): void {
    pods.onChange(({ type, object }) => {
      const uid = object.metadata.uid ?? "";
      if (type === "deleted") this.#seenAtMs.delete(uid);
      else if (type === "added" && object.status?.startTime === undefined)
        this.#seenAtMs.set(uid, this.#clock.monotonicMs());
      else if (object.status?.phase === "Running") this.#noteStarted(uid);
    });
  }

  /** Counts the runtime's last read state. */
  count(records: RuntimeRecords): void {
    const running = new Set<string>();
    const states = new Map<string, number>([...this.#states].map((state) => [state, 0]));
    states.set("running", 0);
    for (const { kind, pod, state } of records.values()) {
      if (kind === "sandbox" && state === "running") running.add(pod.uid);
      if (kind === "container") states.set(state, (states.get(state) ?? 0) + 1);
    }
    this.#pods.set(running.size);
    for (const [state, count] of states) {
      this.#states.add(state);
      this.#containers.set(count, { container_state: state });
    }
  }

  #noteStarted(uid: string): void {
    const seenAtMs = this.#seenAtMs.get(uid);
    if (seenAtMs === undefined) return;
    this.#seenAtMs.delete(uid);
    this.#starts.observe((this.#clock.monotonicMs() - seenAtMs) / 1000);
  }
}
