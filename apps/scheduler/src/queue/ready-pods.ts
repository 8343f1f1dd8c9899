import { KeyedHeap } from "./keyed-heap.ts";
import type { QueuedPod } from "./queued-pod.ts";

/**
 * A decision cheaper than this does not change the order; on 5,000 nodes, a decision takes some
 * milliseconds.
 */
const costlyMs = 20;
/** Longest time that a namespace yields, however much its pods have cost. */
const givesWayMaxMs = 10_000;

interface Namespace {
  readonly name: string;
  readonly pods: KeyedHeap<QueuedPod>;
}

// Ready pods are ordered by priority, then by how long they have been ready. After a costly
// decision, a namespace yields for as long as the decision took: among pods with the same priority,
// pods of other namespaces that became ready before the end of that time have their turn first.
//
//   "a" has 100 pods that take 250 ms each, all ready at 0 s; "web" of "b" is ready at 0.1 s
//   0 s      decision about a pod of "a", which yields until 0.5 s
//   0.25 s   "web"; without the rule it would have its turn at 25 s
//   0.26 s   the next pod of "a"
/** The pods to try, in the order of their turns. */
export class ReadyPods {
  readonly #namespaces = new KeyedHeap<Namespace>(
    ({ name }) => name,
    (one, other) => this.#isBefore(one, other),
  );
  /** The namespace of each pod, by its UID. */
  readonly #namespaceOf = new Map<string, string>();
  /** The time until which a namespace yields. Only namespaces with pods are here for over 10 s. */
  readonly #givesWayUntilMs = new Map<string, number>();

  get size(): number {
    return this.#namespaceOf.size;
  }

  find(uid: string): QueuedPod | undefined {
    const name = this.#namespaceOf.get(uid);
    return name === undefined ? undefined : this.#namespaces.find(name)?.pods.find(uid);
  }

  put(queued: QueuedPod): void {
    const name = namespaceOf(queued);
    const namespace = this.#namespaces.find(name) ?? { name, pods: new KeyedHeap<QueuedPod>(uidOf, isMoreUrgent) };
    namespace.pods.put(queued);
    this.#namespaceOf.set(queued.pod.uid, name);
    this.#namespaces.put(namespace);
  }

  pop(): QueuedPod | undefined {
    const first = this.#namespaces.peek()?.pods.peek();
    return first && this.remove(first.pod.uid);
  }

  remove(uid: string): QueuedPod | undefined {
    const name = this.#namespaceOf.get(uid);
    const namespace = name === undefined ? undefined : this.#namespaces.find(name);
    if (namespace === undefined) return undefined;
    const removed = namespace.pods.remove(uid);
    this.#namespaceOf.delete(uid);
    if (namespace.pods.size > 0) this.#namespaces.put(namespace);
    else this.#namespaces.remove(namespace.name);
    return removed;
  }

  /** Records the time of a decision about a pod. */
  spent(queued: QueuedPod, { tookMs, nowMs }: { tookMs: number; nowMs: number }): void {
    if (tookMs < costlyMs) return;
    this.#forgetPast(nowMs);
    const name = namespaceOf(queued);
    const untilMs = Math.max(nowMs, this.#givesWayUntilMs.get(name) ?? 0) + tookMs;
    this.#givesWayUntilMs.set(name, Math.min(untilMs, nowMs + givesWayMaxMs));
    const namespace = this.#namespaces.find(name);
    if (namespace !== undefined) this.#namespaces.put(namespace);
  }

  #forgetPast(nowMs: number): void {
    for (const [name, untilMs] of this.#givesWayUntilMs)
      if (untilMs <= nowMs && this.#namespaces.find(name) === undefined) this.#givesWayUntilMs.delete(name);
  }

  #isBefore(one: Namespace, other: Namespace): boolean {
    const [first, second] = [this.#turnOf(one), this.#turnOf(other)];
    return first !== undefined && second !== undefined && isMoreUrgent(first, second);
  }

  #turnOf({ name, pods }: Namespace): QueuedPod | undefined {
    const first = pods.peek();
    const untilMs = this.#givesWayUntilMs.get(name);
    if (first === undefined || untilMs === undefined) return first;
    return { ...first, readyMs: Math.max(first.readyMs, untilMs) };
  }
}

function uidOf({ pod }: QueuedPod): string {
  return pod.uid;
}

function namespaceOf({ pod }: QueuedPod): string {
  return pod.pod.metadata.namespace ?? "";
}

function isMoreUrgent(a: QueuedPod, b: QueuedPod): boolean {
  if (a.pod.priority !== b.pod.priority) return a.pod.priority > b.pod.priority;
  return a.readyMs !== b.readyMs ? a.readyMs < b.readyMs : a.order < b.order;
}
