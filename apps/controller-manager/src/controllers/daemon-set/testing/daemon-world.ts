import { type DaemonSet, formatTimestamp, type Node, type Pod } from "@kintsugi/api";
import { aNode, ControllerTestCluster } from "../../../testing/test-cluster.ts";
import { daemonSetController } from "../controller.ts";
import { targetNodeOf } from "../daemon-pod.ts";

type Spec = NonNullable<DaemonSet["spec"]>;
type Template = Spec["template"];

const labels = { app: "agent" };

export function anAgentTemplate(image = "agent:1", spec: object = {}): Template {
  return { metadata: { labels }, spec: { containers: [{ name: "main", image }], ...spec } };
}

function aDaemonSet(spec: Partial<Spec> = {}): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default", uid: "uid-of-agent", generation: 1 },
    spec: { selector: { matchLabels: labels }, template: anAgentTemplate(), revisionHistoryLimit: 10, ...spec },
  };
}

/** A cluster with one DaemonSet, whose scheduler and kubelets do their part immediately. */
export class DaemonWorld {
  readonly cluster = new ControllerTestCluster();
  readonly clock = this.cluster.clock;
  /** A pod of one of these images never becomes ready. */
  readonly broken = new Set<string>();
  /** While false, pods are neither bound, nor made ready, nor removed. */
  kubelets = true;
  /** The minimum of ready pods and the maximum of active pods on one node since `watchBounds`. */
  leastReady = Infinity;
  mostOnNode = 0;
  #isWatching = false;

  constructor(nodes: readonly string[], spec: Partial<Spec> = {}) {
    for (const name of nodes) this.cluster.put("nodes", aNode(name));
    this.cluster.put("daemonsets", aDaemonSet(spec));
    this.cluster.api.log.subscribe(() => this.#look());
  }

  async start(): Promise<void> {
    await this.cluster.start(daemonSetController);
    await this.settle();
  }

  watchBounds(): void {
    this.#isWatching = true;
    this.#look();
  }

  /** Steps the pods until nothing changes. */
  async settle(forMs = 100): Promise<void> {
    for (let i = 0; i < 40; i++) {
      await this.clock.advance(forMs / 40);
      if (this.kubelets) this.act();
    }
    await this.clock.advance(1);
  }

  /** One step of the scheduler and of each kubelet. */
  act(): void {
    for (const pod of this.cluster.pods()) {
      if (pod.metadata.deletionTimestamp !== undefined) this.cluster.remove("pods", pod);
      else if (pod.status?.phase === "Failed") continue;
      else if (!isReady(pod) && !this.broken.has(pod.spec?.containers[0]?.image ?? "")) this.run(pod);
    }
  }

  run(pod: Pod, nodeName = targetNodeOf(pod) ?? ""): void {
    const lastTransitionTime = formatTimestamp(this.clock.nowMs());
    this.cluster.put("pods", {
      ...pod,
      spec: { ...pod.spec, nodeName },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
    } as Pod);
  }

  fail(pod: Pod): void {
    const nodeName = targetNodeOf(pod);
    this.cluster.put("pods", { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: "Failed" } } as Pod);
  }

  get set(): DaemonSet {
    return this.cluster.find<DaemonSet>("daemonsets", "agent") as DaemonSet;
  }

  change(spec: Partial<Spec>): void {
    const { metadata } = this.set;
    const generation = (metadata.generation ?? 0) + 1;
    this.cluster.put("daemonsets", {
      ...this.set,
      metadata: { ...metadata, generation },
      spec: { ...(this.set.spec as Spec), ...spec },
    } as DaemonSet);
  }

  changeNode(name: string, change: (node: Node) => Node): void {
    this.cluster.put("nodes", change(this.cluster.node(name)));
  }

  taint(name: string, ...taints: readonly { key: string; effect: "NoSchedule" | "NoExecute" }[]): void {
    this.changeNode(name, (node) => ({ ...node, spec: { ...node.spec, taints: [...taints] } }));
  }

  active(): Pod[] {
    return this.cluster.pods().filter(isActive);
  }

  /** Returns "node image" of each active pod, in order. */
  running(): string[] {
    return this.active()
      .map((pod) => `${targetNodeOf(pod)} ${pod.spec?.containers[0]?.image}`)
      .toSorted();
  }

  #look(): void {
    if (!this.#isWatching) return;
    const active = this.active();
    this.leastReady = Math.min(this.leastReady, active.filter(isReady).length);
    const perNode = new Map<string, number>();
    for (const pod of active) perNode.set(targetNodeOf(pod) ?? "", (perNode.get(targetNodeOf(pod) ?? "") ?? 0) + 1);
    this.mostOnNode = Math.max(this.mostOnNode, ...perNode.values());
  }
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ?? false;
}

function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Failed";
}
