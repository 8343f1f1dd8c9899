import type { KubeletDialer } from "@kintsugi/api-server/factory";
import type { Clock } from "@kintsugi/clock";
import type { ContainerHappening } from "@kintsugi/cri/testing";
import type { Loads } from "@kintsugi/simulation";
import type { VirtualNode } from "./virtual-node.ts";

/** A container's processor time so far. */
interface Counter {
  readonly node: VirtualNode;
  readonly labels: string;
  readonly workload: string | undefined;
  readonly startedAtMs: number;
  usedMs: number;
}

const memoryBytes = 4 * 1024 * 1024;
/** The time that a container without load uses, in millicores. */
const idleMillicores = 1;

/**
 * The `/metrics/resource` of all nodes' kubelets. The running pods of a workload share its load, as
 * far as clients reach them; each gets whole millicores, so that the same load always shows as the
 * same usage.
 */
export class KubeletMetrics implements KubeletDialer {
  readonly #clock: Clock;
  readonly #loads: Loads;
  readonly #nodes: () => readonly VirtualNode[];
  readonly #counters = new Map<string, Counter>();
  #countedMs = 0;

  constructor(clock: Clock, loads: Loads, nodes: () => readonly VirtualNode[]) {
    this.#clock = clock;
    this.#loads = loads;
    this.#nodes = nodes;
  }

  /** Follows the containers of a node from now on. */
  follow(node: VirtualNode): void {
    node.runtime.witness(({ type, container }) => this.#observe(node, type, container));
  }

  /** Adds up what was used since the last time; to be called before a load changes. */
  count(): void {
    const nowMs = this.#clock.monotonicMs();
    const forMs = nowMs - this.#countedMs;
    this.#countedMs = nowMs;
    if (forMs <= 0) return;
    const sharing = new Map<string, number>();
    for (const { workload, node } of this.#counters.values())
      if (workload !== undefined && !node.wire.isCut) sharing.set(workload, (sharing.get(workload) ?? 0) + 1);
    for (const counter of this.#counters.values()) {
      const { workload = "", node } = counter;
      const count = node.wire.isCut ? undefined : sharing.get(workload);
      const share = count === undefined ? 0 : Math.floor(this.#loads.of(workload) / count);
      counter.usedMs += (forMs * Math.max(share, idleMillicores)) / 1000;
    }
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  get: KubeletDialer["get"] = async (target, path) => {
    const node = this.#nodes().find(({ name }) => name === target.nodeName);
    const isThere = node !== undefined && node.isOn && node.kubelet.isRunning && !node.kubelet.isPaused;
    if (!isThere || node.wire.isCut || path !== "/metrics/resource") throw new Error("connection refused");
    this.count();
    const body = [Buffer.from(this.#exposition(node))] as unknown as AsyncIterable<Uint8Array>;
    return { status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body };
  };

  send: KubeletDialer["send"] = () => Promise.reject(new Error("connection refused"));
  upgrade: KubeletDialer["upgrade"] = () => Promise.reject(new Error("connection refused"));

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
      workload: this.#loads.workloadOf(pod),
      startedAtMs: this.#clock.nowMs(),
      usedMs: 0,
    });
  }

  #exposition(node: VirtualNode): string {
    const nowMs = this.#clock.nowMs();
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
