import { isPodReady, type Pod } from "@kintsugi/api";
import type { KubeletDialer } from "@kintsugi/api-server/factory";
import type { Clock } from "@kintsugi/clock";
import type { ContainerHappening } from "@kintsugi/cri/simulated";
import type { CommittedStore, Loads, ReadOnce } from "@kintsugi/simulation";
import { answerLogs } from "./container-logs.ts";
import type { VirtualNode } from "../virtual-node.ts";

/** A container's CPU time so far. */
interface Counter {
  readonly node: VirtualNode;
  readonly labels: string;
  readonly podUid: string;
  readonly workload: string | undefined;
  readonly startedAtMs: number;
  usedMs: number;
}

const memoryBytes = 4 * 1024 * 1024;
/** The CPU use of a container without load, in millicores. */
const idleMillicores = 1;

export interface KubeletMetricsDeps {
  readonly clock: Clock;
  readonly loads: Loads;
  readonly store: Pick<CommittedStore, "subscribe">;
  readonly objects: ReadOnce;
  /** The nodes are read at each request, because the cluster creates its nodes last. */
  readonly nodes: readonly VirtualNode[];
}

/**
 * The `/metrics/resource` and logs of all nodes' kubelets. The pods of a workload share its load if
 * a Service would send requests to them: they are Ready, they are not being deleted, and their node
 * is reachable. Each pod gets whole millicores, so that the same load always results in the same
 * usage.
 */
export class KubeletMetrics implements KubeletDialer {
  readonly #cluster: KubeletMetricsDeps;
  /** UIDs of the pods of loaded workloads to which a Service would send requests. */
  readonly #served = new Set<string>();
  readonly #counters = new Map<string, Counter>();
  #countedMs = 0;

  constructor(cluster: KubeletMetricsDeps) {
    this.#cluster = cluster;
    const { store, objects } = cluster;
    store.subscribe((changes) => {
      for (const { resource, type, entry } of changes)
        if (resource === "core/pods") this.#serve(objects.read<Pod>(entry.value, entry.revision), type === "delete");
    });
  }

  /** Follows the containers of a node from now on. */
  follow(node: VirtualNode): void {
    node.runtime.witness(({ type, container }) => this.#observe(node, type, container));
  }

  /** Adds the use since the last call; to be called before a load changes. */
  count(): void {
    const nowMs = this.#cluster.clock.monotonicMs();
    const forMs = nowMs - this.#countedMs;
    this.#countedMs = nowMs;
    if (forMs <= 0) return;
    const sharing = new Map<string, number>();
    for (const counter of this.#counters.values()) {
      const { workload } = counter;
      if (workload !== undefined && this.#shares(counter)) sharing.set(workload, (sharing.get(workload) ?? 0) + 1);
    }
    for (const counter of this.#counters.values()) {
      const { workload = "" } = counter;
      const count = this.#shares(counter) ? sharing.get(workload) : undefined;
      const share = count === undefined ? 0 : Math.floor(this.#cluster.loads.of(workload) / count);
      counter.usedMs += (forMs * Math.max(share, idleMillicores)) / 1000;
    }
  }

  get: KubeletDialer["get"] = async (target, path) => {
    const node = this.#cluster.nodes.find(({ name }) => name === target.nodeName);
    const isThere = node !== undefined && node.isOn && node.kubelet.isRunning && !node.kubelet.isPaused;
    if (!isThere || node.wire.isCut) throw new Error("connection refused");
    if (path.startsWith("/containerLogs/")) return answerLogs(node, path);
    if (path !== "/metrics/resource") throw new Error("connection refused");
    this.count();
    const body = [Buffer.from(this.#exposition(node))] as unknown as AsyncIterable<Uint8Array>;
    return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body };
  };

  send: KubeletDialer["send"] = () => Promise.reject(new Error("connection refused"));
  upgrade: KubeletDialer["upgrade"] = () => Promise.reject(new Error("connection refused"));

  #shares({ node, podUid }: Counter): boolean {
    return !node.wire.isCut && this.#served.has(podUid);
  }

  #serve(pod: Pod, isDeleted: boolean): void {
    const { name = "", uid = "", deletionTimestamp } = pod.metadata;
    if (this.#cluster.loads.workloadOf(name) === undefined) return;
    const isServed = !isDeleted && deletionTimestamp === undefined && isPodReady(pod);
    if (isServed === this.#served.has(uid)) return;
    this.count();
    if (isServed) this.#served.add(uid);
    else this.#served.delete(uid);
  }

  #observe(node: VirtualNode, type: ContainerHappening["type"], container: ContainerHappening["container"]): void {
    this.count();
    const { id, labels, metadata } = container;
    if (type === "stopped" || type === "deleted") this.#counters.delete(id);
    if (type !== "started") return;
    const pod = labels["io.kubernetes.pod.name"] ?? "";
    const namespace = labels["io.kubernetes.pod.namespace"] ?? "";
    this.#counters.set(id, {
      node,
      labels: `container="${metadata.name}",pod="${pod}",namespace="${namespace}"`,
      podUid: labels["io.kubernetes.pod.uid"] ?? "",
      workload: this.#cluster.loads.workloadOf(pod),
      startedAtMs: this.#cluster.clock.nowMs(),
      usedMs: 0,
    });
  }

  #exposition(node: VirtualNode): string {
    const nowMs = this.#cluster.clock.nowMs();
    const own = [...this.#counters.values()].filter((counter) => counter.node === node);
    const used = own.reduce((sum, { usedMs }) => sum + usedMs, 0);
    const lines = own.flatMap(({ labels, startedAtMs, usedMs }) => [
      `container_cpu_usage_seconds_total{${labels}} ${usedMs / 1000} ${nowMs}`,
      `container_memory_working_set_bytes{${labels}} ${memoryBytes} ${nowMs}`,
      `container_start_time_seconds{${labels}} ${startedAtMs / 1000}`,
    ]);
    return [
      `node_cpu_usage_seconds_total ${used / 1000} ${nowMs}`,
      `node_memory_working_set_bytes ${own.length * memoryBytes} ${nowMs}`,
      ...lines,
      "resource_scrape_error 0",
      "",
    ].join("\n");
  }
}
