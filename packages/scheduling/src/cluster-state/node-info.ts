import type { NodeColumns } from "./columns/node-columns.ts";
import { invariant } from "./invariant.ts";
import { addAmounts, type Node, type Pod, type ResourceAmounts, resourceAmounts, type Taint } from "@kintsugi/api";
import { addCount } from "./counts/add-count.ts";
import type { PodInfo } from "./pod-info.ts";

const noLabels: Readonly<Record<string, string>> = {};
const noTaints: readonly Taint[] = [];
const noImages: ReadonlyMap<string, number> = new Map();

/** A node with the pods on it (bound and assumed) and the sum of their requests. */
export class NodeInfo {
  readonly name: string;
  #node: Node | undefined;
  #allocatable: ResourceAmounts = {};
  #labels: Readonly<Record<string, string>> = noLabels;
  #taints: readonly Taint[] = noTaints;
  #images: ReadonlyMap<string, number> = noImages;
  readonly #pods = new Map<string, PodInfo>();
  readonly #requested: ResourceAmounts = {};
  readonly #scoringRequested: ResourceAmounts = {};
  readonly #podsByOwner = new Map<string, number>();
  readonly #podsWithAffinity = new Set<PodInfo>();

  readonly #columns: NodeColumns | undefined;
  /** The row of the node in the columns; -1 without columns. */
  readonly row: number;

  /** @param columns show the node from now on, until `leave`. */
  constructor(name: string, columns?: NodeColumns) {
    this.name = name;
    this.#columns = columns;
    this.row = columns?.add(this) ?? -1;
  }

  /** A copy without a row, which can be changed apart from the original. */
  static copyOf(original: NodeInfo): NodeInfo {
    const copy = new NodeInfo(original.name);
    copy.#node = original.#node;
    copy.#allocatable = original.#allocatable;
    copy.#labels = original.#labels;
    copy.#taints = original.#taints;
    copy.#images = original.#images;
    for (const [uid, pod] of original.#pods) copy.#pods.set(uid, pod);
    Object.assign(copy.#requested, original.#requested);
    Object.assign(copy.#scoringRequested, original.#scoringRequested);
    for (const [ownerUid, count] of original.#podsByOwner) copy.#podsByOwner.set(ownerUid, count);
    for (const pod of original.#podsWithAffinity) copy.#podsWithAffinity.add(pod);
    return copy;
  }

  /** Releases the row: this node is no longer read. */
  leave(): void {
    this.#columns?.remove(this.row);
  }

  get isCordoned(): boolean {
    return this.#node?.spec?.unschedulable === true;
  }

  /**
   * Undefined while pods remain of a node that no longer exists, or pods are known before the node.
   */
  get node(): Node | undefined {
    return this.#node;
  }

  set node(node: Node | undefined) {
    this.#node = node;
    // Made once, because decisions read these values of every node.
    this.#allocatable = resourceAmounts(node?.status?.allocatable);
    this.#labels = node?.metadata.labels ?? noLabels;
    this.#taints = node?.spec?.taints ?? noTaints;
    this.#images = imagesOn(node);
    this.#columns?.nodeChanged(this.row, this);
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#labels;
  }

  get taints(): readonly Taint[] {
    return this.#taints;
  }

  /** The images that the node has, by their names with a tag or digest; the sizes in bytes. */
  get images(): ReadonlyMap<string, number> {
    return this.#images;
  }

  get allocatable(): Readonly<ResourceAmounts> {
    return this.#allocatable;
  }

  get requested(): Readonly<ResourceAmounts> {
    return this.#requested;
  }

  get scoringRequested(): Readonly<ResourceAmounts> {
    return this.#scoringRequested;
  }

  get podCount(): number {
    return this.#pods.size;
  }

  pods(): Iterable<PodInfo> {
    return this.#pods.values();
  }

  /** The pods with their own affinities or anti-affinities. */
  podsWithAffinity(): ReadonlySet<PodInfo> {
    return this.#podsWithAffinity;
  }

  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  podsOfOwner(ownerUid: string): number {
    return this.#podsByOwner.get(ownerUid) ?? 0;
  }

  /** The pod has a new object with the same demands. */
  renew(uid: string, object: Pod): void {
    const info = this.#pods.get(uid);
    invariant(info !== undefined, `pod ${uid} is updated on ${this.name}, which does not have it`);
    info.pod = object;
  }

  /** Adds the pod to the node, replacing its earlier state. */
  put(pod: PodInfo): void {
    this.remove(pod.uid);
    this.#pods.set(pod.uid, pod);
    addAmounts(this.#requested, pod.requests);
    addAmounts(this.#scoringRequested, pod.scoringRequests);
    if (hasAffinity(pod)) this.#podsWithAffinity.add(pod);
    if (pod.ownerUid !== undefined && !pod.isTerminating) this.#countOwner(pod.ownerUid, 1);
    this.#columns?.podsChanged(this.row, this);
  }

  remove(uid: string): PodInfo | undefined {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return undefined;
    this.#pods.delete(uid);
    subtract(this.#requested, pod.requests);
    subtract(this.#scoringRequested, pod.scoringRequests);
    this.#podsWithAffinity.delete(pod);
    if (pod.ownerUid !== undefined && !pod.isTerminating) this.#countOwner(pod.ownerUid, -1);
    this.#columns?.podsChanged(this.row, this);
    return pod;
  }

  #countOwner(ownerUid: string, by: number): void {
    const count = this.podsOfOwner(ownerUid) + by;
    invariant(count >= 0, `${this.name} has a negative number of pods of ${ownerUid}`);
    addCount(this.#podsByOwner, ownerUid, by);
  }
}

function imagesOn(node: Node | undefined): ReadonlyMap<string, number> {
  const images = new Map<string, number>();
  for (const { names = [], sizeBytes = 0 } of node?.status?.images ?? []) {
    // The first entry with the name counts, as in a search through the list.
    for (const name of names.map(taggedImage)) if (!images.has(name)) images.set(name, sizeBytes);
  }
  return images.size === 0 ? noImages : images;
}

/** An image without a tag has the tag "latest". */
export function taggedImage(image: string): string {
  if (image === "" || image.includes("@")) return image;
  return image.lastIndexOf(":") > image.lastIndexOf("/") ? image : `${image}:latest`;
}

function hasAffinity(pod: PodInfo): boolean {
  const { requiredAffinity, requiredAntiAffinity, preferredAffinity, preferredAntiAffinity } = pod;
  const terms = requiredAffinity.length + requiredAntiAffinity.length;
  return terms + preferredAffinity.length + preferredAntiAffinity.length > 0;
}

function subtract(from: ResourceAmounts, amounts: ResourceAmounts): void {
  // A preemption runs this code for each pod of hundreds of nodes, where pairs of names and amounts
  // would cost more.
  for (const name in amounts) from[name] = (from[name] ?? 0) - (amounts[name] ?? 0);
}
