import { isPodTerminal, type Node, type Pod } from "@kintsugi/api";
import type { NodeGroup } from "@kintsugi/cloud";
import { ClusterState, decide, defaultPlugins, explainRejection, type PodInfo, podInfoOf } from "@kintsugi/scheduling";
import { daemonPods, templateCsiNode, templateNode } from "./template-node.ts";
import type { Memory, World } from "./world.ts";

/** The node of a pod by the scheduler's own filters and scores. */
export type Placement = { node: string } | { because: string };

/** The cluster in the scheduler's view, in which the placement of pods and nodes is tried. */
export class Room {
  readonly #state = new ClusterState();
  readonly #world: World;
  readonly #samples: Memory["samples"];

  constructor(world: World, samples: Memory["samples"]) {
    this.#world = world;
    this.#samples = samples;
    const state = this.#state;
    for (const namespace of world.namespaces) state.putNamespace(namespace);
    for (const claim of world.claims) state.storage.putClaim(claim);
    for (const volume of world.volumes) state.storage.putVolume(volume);
    for (const storageClass of world.classes) state.storage.putClass(storageClass);
    for (const driver of world.csiDrivers) state.storage.putCsiDriver(driver);
    for (const csiNode of world.csiNodes) state.storage.putCsiNode(csiNode);
    for (const capacity of world.capacities) state.storage.putCapacity(capacity);
    for (const attachment of world.attachments) state.storage.putAttachment(attachment);
    for (const node of world.nodes) state.putNode(node);
    for (const pod of world.pods) {
      const nodeName = pod.spec?.nodeName ?? "";
      if (nodeName !== "" && !isPodTerminal(pod)) state.putPod(podInfoOf(pod), nodeName);
    }
  }

  /** Adds a node as the group would create it, with its drivers and the pods of its DaemonSets. */
  addTemplate(group: NodeGroup, name: string): void {
    const node = templateNode(group, name, { nodes: this.#world.nodes, samples: this.#samples });
    this.#state.putNode(node);
    const csiNode = templateCsiNode(group, name, this.#world);
    if (csiNode !== undefined) this.#state.storage.putCsiNode(csiNode);
    for (const pod of daemonPods(node, this.#world.daemonSets)) this.#state.putPod(podInfoOf(pod), name);
  }

  /** Removes a node with all of its pods, and returns the pods. */
  removeNode(name: string): PodInfo[] {
    const pods = [...(this.#state.find(name)?.pods() ?? [])];
    for (const { uid } of pods) this.#state.removePod(uid);
    this.#state.removeNode(name);
    return pods;
  }

  restoreNode(node: Node, pods: readonly PodInfo[]): void {
    this.#state.putNode(node);
    for (const pod of pods) this.#state.putPod(pod, node.metadata.name ?? "");
  }

  /** Places the pod where the scheduler would, if a node fits. */
  place(pod: Pod): Placement {
    const info = podInfoOf(pod);
    const decision = decide(info, this.#state, { plugins: defaultPlugins, tieBreaker: 0 });
    if (!decision.placed) return { because: explainRejection(decision.rejections, "") };
    this.#state.putPod(info, decision.node);
    return { node: decision.node };
  }

  takeBack(pod: Pod): void {
    this.#state.removePod(pod.metadata.uid ?? "");
  }

  /** The pods on a node, including the pods that this plan has placed there. */
  podsOn(name: string): PodInfo[] {
    return [...(this.#state.find(name)?.pods() ?? [])];
  }

  /** The largest share of processors or memory that pods request of the node. */
  utilization(name: string, counts: (pod: PodInfo) => boolean): number {
    const info = this.#state.find(name);
    if (info === undefined) return 0;
    const shares = (["cpu", "memory"] as const).map((resource) => {
      const requested = [...info.pods()]
        .filter(counts)
        .reduce((sum, pod) => sum + Number(pod.requests[resource] ?? 0), 0);
      const allocatable = Number(info.allocatable[resource] ?? 0);
      return allocatable === 0 ? 0 : requested / allocatable;
    });
    return Math.max(...shares);
  }
}
