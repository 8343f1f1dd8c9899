import {
  instantOf,
  type Node,
  planNodeEntries,
  planPodEntries,
  type Pod,
  type ProfileName,
  profiles,
  type ReplicaSet,
  type TimelineEntry,
  type TimerProfile,
} from "@kintsugi/api";
import type { KindsRead, World } from "@kintsugi/explanation";
import type { ClusterWay } from "@kintsugi/explanation/commands";
import { signal, type Signal } from "@preact/signals";
import type { RequestRefused } from "../data/api.ts";
import type { ReadKind } from "../data/kinds.ts";
import {
  type Bar,
  ClusterStory,
  ownerKinds,
  podKey,
  rememberOwner,
  workloadByName,
  workloadOf,
  type WorkloadRef,
} from "@kintsugi/story";
import { stepsOfNode, stepsOfPod } from "../model/seed.ts";

/** The facts about the cluster that are not in objects. */
export interface Settings {
  readonly clusterName: string;
  readonly profile: ProfileName;
  /** The cluster's timers, if they differ from the profile's. */
  readonly timers?: TimerProfile;
  /** The server's time minus the browser's. */
  readonly skewMs: number;
  /**
   * The way in which commands connect to the cluster. Default: it is a cluster of `kintsugi up`.
   */
  readonly way?: ClusterWay;
}

type ObjectsByKey = { [K in ReadKind]?: ReadonlyMap<string, KindsRead[K]> };

/** The kinds that the first look is about. */
const lookedAt = ["nodes", "pods", "replicasets", "deployments"] as const satisfies readonly ReadKind[];
/** Limit on owners by which pods that no longer exist are grouped; the oldest are dropped. */
const workloadsMax = 20_000;
/** Objects have their creation time in seconds, and steps in milliseconds. */
const creationFuzzMs = 1_000;

/**
 * Everything that the page has read of the cluster, and the picture that it builds from this data.
 */
export class Cluster {
  #story = new ClusterStory();
  readonly settings: Settings;
  readonly timers: TimerProfile;
  /** Counts the changes of objects, so that views that list objects can depend on the count. */
  readonly version: Signal<number> = signal(0);
  /** Kinds that cannot be read, with the reason. */
  readonly problems: Signal<ReadonlyMap<ReadKind | "timeline", RequestRefused>> = signal(new Map());
  /**
   * True where the steps are read from the server's timeline. Otherwise the page derives the steps
   * from the changes that it observes.
   */
  hasTimeline = false;
  readonly #nowMs: () => number;
  #objects: { [K in ReadKind]?: Map<string, KindsRead[K]> } = {};
  /** The time of the newest step of the timeline; seeds are not counted. */
  #lastStepMs = Infinity;
  readonly #workloads = new Map<string, WorkloadRef>();
  /** The workload of each bar, as soon as it is certain. */
  readonly #ofBar = new WeakMap<Bar, WorkloadRef>();

  /** @param deps nowMs the browser's wall clock */
  constructor(deps: { nowMs: () => number }, settings: Settings) {
    this.#nowMs = deps.nowMs;
    this.settings = settings;
    this.timers = settings.timers ?? profiles[settings.profile];
  }

  /** The picture of the steps so far. */
  get story(): ClusterStory {
    return this.#story;
  }

  /** Restarts without steps and objects, as a player that seeks backward does. */
  clear(): void {
    this.#story = new ClusterStory();
    this.#lastStepMs = Infinity;
    this.#objects = {};
    this.version.value++;
  }

  /** The server's time. */
  nowMs(): number {
    return this.#nowMs() + this.settings.skewMs;
  }

  /** Everything that the first look is about was read, or was refused. */
  get isRead(): boolean {
    return lookedAt.every((kind) => this.#objects[kind] !== undefined || this.problems.value.has(kind));
  }

  list<K extends ReadKind>(kind: K): KindsRead[K][] {
    return [...((this.#objects as ObjectsByKey)[kind]?.values() ?? [])] as KindsRead[K][];
  }

  find<K extends ReadKind>(kind: K, key: { namespace: string; name: string }): KindsRead[K] | undefined {
    return (this.#objects as ObjectsByKey)[kind]?.get(podKey(key)) as KindsRead[K] | undefined;
  }

  /** The objects in the form that explanations need. */
  world(): World {
    const kinds = Object.keys(this.#objects) as ReadKind[];
    const objects = Object.fromEntries(kinds.map((kind) => [kind, this.list(kind)])) as World["objects"];
    const hasAllPods = !this.problems.value.has("pods") && !this.problems.value.has("nodes");
    return { objects, hasAllPods, timers: this.timers, nowMs: this.nowMs() };
  }

  applySteps(steps: readonly TimelineEntry[]): void {
    for (const step of steps) this.story.apply(step);
    this.#lastStepMs = steps.at(-1)?.timeMs ?? this.#lastStepMs;
  }

  replace<K extends ReadKind>(kind: K, items: readonly KindsRead[K][]): void {
    const before = (this.#objects as ObjectsByKey)[kind] as ReadonlyMap<string, KindsRead[K]> | undefined;
    const after = new Map(items.map((item) => [keyOf(item), item]));
    (this.#objects as Record<ReadKind, unknown>)[kind] = after;
    if (kind === "pods" || kind === "nodes") {
      for (const item of items) this.#tell(kind, before?.get(keyOf(item)), item);
      for (const [key, item] of before ?? []) if (!after.has(key)) this.#tell(kind, item, undefined);
    }
    this.#learnWorkloads(kind, items);
    this.version.value++;
  }

  put<K extends ReadKind>(kind: K, item: KindsRead[K]): void {
    const objects = ((this.#objects as Record<ReadKind, unknown>)[kind] ??= new Map()) as Map<string, KindsRead[K]>;
    this.#tell(kind, objects.get(keyOf(item)), item);
    objects.set(keyOf(item), item);
    this.#learnWorkloads(kind, [item]);
    this.version.value++;
  }

  remove<K extends ReadKind>(kind: K, item: KindsRead[K]): void {
    const objects = (this.#objects as Record<ReadKind, unknown>)[kind] as Map<string, KindsRead[K]> | undefined;
    objects?.delete(keyOf(item));
    this.#tell(kind, item, undefined);
    this.version.value++;
  }

  /** Drops the oldest objects, so that the page's memory does not grow. */
  forgetOldest(kind: ReadKind, keptMax: number): void {
    const objects = this.#objects[kind] as Map<string, unknown> | undefined;
    for (const key of objects?.keys() ?? []) {
      if ((objects?.size ?? 0) <= keptMax) return;
      objects?.delete(key);
    }
  }

  report(kind: ReadKind | "timeline", problem: RequestRefused | undefined): void {
    const { value } = this.problems;
    if (problem === undefined ? !value.has(kind) : value.get(kind)?.message === problem.message) return;
    const next = new Map(value);
    if (problem === undefined) next.delete(kind);
    else next.set(kind, problem);
    this.problems.value = next;
  }

  /** The workload of a bar: from its pod while the pod is known, and then from its name. */
  workloadOfBar(bar: Bar): WorkloadRef {
    const known = this.#ofBar.get(bar);
    if (known !== undefined) return known;
    const pod = bar.toMs === undefined ? this.find("pods", bar) : undefined;
    if (pod === undefined) return workloadByName(bar, this.#workloads);
    const workload = workloadOf(pod, (key) => (this.#objects as ObjectsByKey).replicasets?.get(key) as ReplicaSet);
    // A pod may be known before its ReplicaSet, and only the ReplicaSet names the Deployment.
    if (workload.kind !== "ReplicaSet" || this.find("replicasets", workload) !== undefined)
      this.#ofBar.set(bar, workload);
    return workload;
  }

  #learnWorkloads<K extends ReadKind>(kind: K, items: readonly KindsRead[K][]): void {
    const own = (ownerKinds as { readonly [K in ReadKind]?: string })[kind];
    if (own === undefined) return;
    for (const { metadata } of items) rememberOwner(this.#workloads, own, metadata ?? {});
    for (const key of this.#workloads.keys()) {
      if (this.#workloads.size <= workloadsMax) break;
      this.#workloads.delete(key);
    }
  }

  /**
   * Derives steps from a change if the server's timeline does not provide them; adds the steps of
   * objects that are older than the timeline.
   */
  #tell<K extends ReadKind>(kind: K, before: KindsRead[K] | undefined, after: KindsRead[K] | undefined): void {
    if (kind === "pods") this.#tellPod(before as Pod | undefined, after as Pod | undefined);
    if (kind === "nodes") this.#tellNode(before as Node | undefined, after as Node | undefined);
  }

  #tellPod(before: Pod | undefined, after: Pod | undefined): void {
    const pod = after ?? before;
    if (pod === undefined) return;
    const key = { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
    const isKnown = this.story.find(key) !== undefined;
    if (after !== undefined && before === undefined) {
      const seeds = isKnown || (this.hasTimeline && this.#isYoung(pod)) ? [] : stepsOfPod(pod);
      return this.#seed(seeds);
    }
    if (this.hasTimeline) return;
    this.applySteps(planPodEntries({ before, after, revision: 0, timeMs: this.nowMs() }));
  }

  #tellNode(before: Node | undefined, after: Node | undefined): void {
    const node = after ?? before;
    if (node === undefined) return;
    if (after !== undefined && before === undefined) {
      const isKnown = this.story.hasNode(node.metadata.name ?? "") || (this.hasTimeline && this.#isYoung(node));
      return this.#seed(isKnown ? [] : stepsOfNode(node));
    }
    if (this.hasTimeline) return;
    this.applySteps(planNodeEntries({ before, after, revision: 0, timeMs: this.nowMs() }));
  }

  /** The timeline includes the creation of an object that is newer than its last step. */
  #isYoung({ metadata }: Pod | Node): boolean {
    return (instantOf(metadata.creationTimestamp) ?? 0) > this.#lastStepMs - creationFuzzMs;
  }

  /** Seeds are not steps of the timeline, and must not extend its reach. */
  #seed(steps: readonly TimelineEntry[]): void {
    for (const step of steps) this.story.apply(step);
  }
}

function keyOf({ metadata }: { metadata?: { namespace?: string | undefined; name?: string | undefined } | undefined }) {
  return podKey({ namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" });
}
