import type { CompileSelector } from "../devices/allocator/selectors.ts";
import { Devices } from "../devices/devices.ts";
import { NodeColumns } from "./columns/node-columns.ts";
import { invariant } from "./invariant.ts";
import type { HostPort, Namespace, Node, Pod } from "@kintsugi/api";
import type { PodMatcher } from "./counts/match-counts.ts";
import type { PodsByNode } from "./counts/pods-by-node.ts";
import { NodeIndex } from "./node-index.ts";
import { NodeInfo } from "./node-info.ts";
import { type Nominated, Nominations } from "./nominations.ts";
import type { PlacedTerm, TermKind } from "./counts/placed-terms.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Snapshot } from "./snapshot.ts";
import { Storage } from "./storage.ts";

// The states of a pod, by UID:
//
//   (unknown) ──assume──► assumed ──put (informer shows it bound)──► bound ──remove──► (unknown)
//                           └──forget (the binding failed)──► (unknown)
//
// An assumed pod takes its room on the node as if it were bound, so that the next decision does not
// use the room again. A pod for which room is being made is not shown here. Such a pod is nominated
// until it is assumed or no longer waits.

/**
 * The scheduler's view of nodes and of the pods on them: the informers' objects, and the
 * scheduler's own decisions since.
 */
export class ClusterState implements Snapshot {
  readonly storage = new Storage();
  readonly devices: Devices;
  readonly columns = new NodeColumns();
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #nodeOfPod = new Map<string, string>();
  readonly #assumed = new Map<string, PodInfo>();
  readonly #namespaces = new Map<string, Readonly<Record<string, string>>>();
  readonly #nominations = new Nominations();
  readonly #beingPreempted = new Set<string>();
  readonly #index = new NodeIndex();
  #onAssumptionEnd: (uid: string) => void = () => {};
  #listed: readonly NodeInfo[] | undefined;
  #rows: Int32Array | undefined;

  /** @param compileSelector compiles selectors; if absent, devices are not followed. */
  constructor(compileSelector?: CompileSelector) {
    this.devices = new Devices(compileSelector);
  }

  /**
   * Calls `handler` for each pod that is no longer merely assumed, because it is known to be bound
   * or no longer exists. One handler at a time.
   */
  onAssumptionEnd(handler: (uid: string) => void): void {
    this.#onAssumptionEnd = handler;
  }

  get nodes(): readonly NodeInfo[] {
    return (this.#listed ??= [...this.#nodes.values()].filter(({ node }) => node !== undefined));
  }

  get rowOfNode(): Int32Array {
    return (this.#rows ??= Int32Array.from(this.nodes, ({ row }) => row));
  }

  get podCount(): number {
    return this.#nodeOfPod.size;
  }

  get assumedCount(): number {
    return this.#assumed.size;
  }

  find(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined {
    return this.#namespaces.get(namespace);
  }

  matching(matcher: PodMatcher): PodsByNode {
    return this.#index.matching(matcher, this.#nodes.values());
  }

  placedTerms(kind: TermKind): Iterable<PlacedTerm> {
    return this.#index.placedTerms(kind);
  }

  podsOfOwner(ownerUid: string): PodsByNode {
    return this.#index.ofOwner(ownerUid);
  }

  podsWithPort(port: HostPort): PodsByNode {
    return this.#index.withPort(port);
  }

  nodesWithImage(image: string): number {
    return this.#index.withImage(image);
  }

  domainsOf(topologyKey: string): ReadonlyMap<string, number> {
    return this.#index.domainsOf(topologyKey, this.nodes);
  }

  get hasNominations(): boolean {
    return !this.#nominations.isEmpty;
  }

  nominatedNodes(): Iterable<string> {
    return this.#nominations.nodes();
  }

  nominatedOn(nodeName: string): Iterable<PodInfo> {
    return this.#nominations.on(nodeName);
  }

  nominatedNode(uid: string): string | undefined {
    return this.#nominations.nodeOf(uid);
  }

  isBeingPreempted(uid: string): boolean {
    return this.#beingPreempted.has(uid);
  }

  /**
   * Room is being made for the pod on that node, by a decision made now or by a decision that the
   * API has recorded.
   */
  nominate(pod: PodInfo, nodeName: string): void {
    invariant(!this.#nodeOfPod.has(pod.uid), `pod ${pod.key} is nominated to ${nodeName} but has a node already`);
    this.#nominations.put(pod, nodeName);
  }

  /** A newer state of a pod that may be nominated; its nomination is unchanged. */
  refreshNominated(pod: PodInfo): void {
    const nodeName = this.#nominations.nodeOf(pod.uid);
    if (nodeName === undefined) return;
    invariant(!this.#nodeOfPod.has(pod.uid), `pod ${pod.key} is nominated to ${nodeName} and has a node`);
    this.#nominations.put(pod, nodeName);
  }

  removeNomination(uid: string): Nominated | undefined {
    return this.#nominations.remove(uid);
  }

  /**
   * The pod is being deleted to make room. The pod counts as a victim until the informer shows the
   * deletion, or the deletion fails.
   */
  preempting(uid: string): void {
    if (this.#nodeOfPod.has(uid)) this.#beingPreempted.add(uid);
  }

  preemptingFailed(uid: string): void {
    this.#beingPreempted.delete(uid);
  }

  putNamespace({ metadata }: Namespace): void {
    this.#namespaces.set(metadata.name ?? "", metadata.labels ?? {});
  }

  removeNamespace(name: string): void {
    this.#namespaces.delete(name);
  }

  putNode(node: Node): void {
    const info = this.#infoOf(node.metadata.name ?? "");
    const before = [info.images, info.labels] as const;
    // Only a new node changes the list, unlike a heartbeat.
    if (info.node === undefined) this.#unlist();
    info.node = node;
    this.#index.nodeChanged(before, [info.images, info.labels]);
  }

  /**
   * The node's pods also remain known until they are deleted, because the node may return earlier.
   */
  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    const before = [info.images, info.labels] as const;
    info.node = undefined;
    this.#index.nodeChanged(before, [info.images, info.labels]);
    this.#dropIfEmpty(info);
    this.#unlist();
  }

  /** A pod that is bound to `nodeName`, according to the API. It is no longer merely assumed. */
  putPod(pod: PodInfo, nodeName: string): void {
    this.#endAssumption(pod.uid);
    if (pod.isTerminating) this.#beingPreempted.delete(pod.uid);
    this.#nominations.remove(pod.uid);
    this.#place(pod, nodeName);
  }

  /** A bound pod has a new object that decisions treat like its old object. */
  renewPod(uid: string, object: Pod): void {
    const nodeName = this.#nodeOfPod.get(uid);
    invariant(nodeName !== undefined, `pod ${uid} is updated, but has no node`);
    this.#infoOf(nodeName).renew(uid, object);
  }

  removePod(uid: string): PodInfo | undefined {
    this.#endAssumption(uid);
    this.#beingPreempted.delete(uid);
    const nodeName = this.#nodeOfPod.get(uid);
    if (nodeName === undefined) return undefined;
    this.#nodeOfPod.delete(uid);
    return this.#takeOff(uid, nodeName);
  }

  assume(pod: PodInfo, nodeName: string): void {
    invariant(!this.#nodeOfPod.has(pod.uid), `pod ${pod.key} is assumed on ${nodeName} but has a node already`);
    this.#nominations.remove(pod.uid);
    this.#assumed.set(pod.uid, pod);
    this.#place(pod, nodeName);
  }

  /**
   * Withdraws an assumption. A pod remains if the informer has reported it as bound in the
   * meantime.
   */
  forget(uid: string): PodInfo | undefined {
    if (!this.#assumed.has(uid)) return undefined;
    invariant(this.#nodeOfPod.has(uid), `pod ${uid} is assumed, but no node reserves resources for it`);
    return this.removePod(uid);
  }

  isAssumed(uid: string): boolean {
    return this.#assumed.has(uid);
  }

  /** Bound or assumed. */
  nodeOf(uid: string): string | undefined {
    return this.#nodeOfPod.get(uid);
  }

  #endAssumption(uid: string): void {
    if (this.#assumed.delete(uid)) this.#onAssumptionEnd(uid);
  }

  #place(pod: PodInfo, nodeName: string): void {
    const before = this.#nodeOfPod.get(pod.uid);
    if (before !== undefined && before !== nodeName) this.#takeOff(pod.uid, before);
    const info = this.#infoOf(nodeName);
    invariant(
      info.has(pod.uid) === (before === nodeName),
      `pod ${pod.key} is added to ${nodeName}, but was on ${before ?? "none"}`,
    );
    this.#nodeOfPod.set(pod.uid, nodeName);
    const earlier = info.remove(pod.uid);
    info.put(pod);
    if (earlier !== undefined) this.#index.podChanged(info, earlier, -1);
    this.#index.podChanged(info, pod, 1);
  }

  /** The room that the pod used is free again. */
  #takeOff(uid: string, nodeName: string): PodInfo {
    const info = this.#infoOf(nodeName);
    const removed = info.remove(uid);
    invariant(removed !== undefined, `pod ${uid} is on ${nodeName}, which does not have it`);
    this.#index.podChanged(info, removed, -1);
    this.#dropIfEmpty(info);
    return removed;
  }

  #infoOf(name: string): NodeInfo {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const info = new NodeInfo(name, this.columns);
    this.#nodes.set(name, info);
    return info;
  }

  #dropIfEmpty(info: NodeInfo): void {
    if (info.node !== undefined || info.podCount > 0) return;
    this.#nodes.delete(info.name);
    info.leave();
  }

  #unlist(): void {
    this.#listed = undefined;
    this.#rows = undefined;
  }
}
