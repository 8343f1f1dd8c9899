import {
  type ApiObject,
  type DaemonSet,
  daemonSets,
  type Deployment,
  deployments,
  isPodActive,
  isPodReady,
  type Job,
  jobs,
  type Pod,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@kintsugi/api";
import { WorkloadIndex, type RehearsedWorkload } from "../model/workloads.ts";

/** The number of available pods of a workload, from this instant to the next sample. */
export interface Sample {
  readonly atMs: number;
  readonly available: number;
}

export interface TrackedWorkload {
  readonly workload: RehearsedWorkload;
  readonly wanted: number;
  readonly samples: Sample[];
}

export interface AvailabilityDeps {
  /** Reports whether clients reach the containers of a node. */
  readonly serves: (nodeName: string) => boolean;
}

interface TrackedPod {
  readonly tracked: TrackedWorkload;
  readonly nodeName: string;
  readonly isReady: boolean;
  available: boolean;
}

/**
 * Counts the available pods of each workload: Ready in the API, and running on a machine that is on
 * and connected. It inspects only the pods that change, and the pods of a node that changes.
 */
export class WorkloadAvailability {
  readonly #deps: AvailabilityDeps;
  readonly #workloads: WorkloadIndex;
  readonly #wanted: ReadonlyMap<string, number>;
  readonly #tracked = new Map<string, TrackedWorkload>();
  readonly #pods = new Map<string, TrackedPod>();
  readonly #available = new Map<TrackedWorkload, number>();

  constructor(deps: AvailabilityDeps, objects: ReadonlyMap<string, readonly ApiObject[]>) {
    this.#deps = deps;
    this.#workloads = new WorkloadIndex(objects);
    this.#wanted = wantedPodsOf(objects);
  }

  /** Adds an owner of pods that was created in the meantime. */
  addOwner(object: ApiObject): void {
    this.#workloads.add(object);
  }

  workloadOf(pod: Pod): RehearsedWorkload {
    return this.#workloads.of(pod);
  }

  workloadOfOwner(uid: string): RehearsedWorkload | undefined {
    return this.#workloads.ofOwner(uid);
  }

  /** Applies the new state of a pod; undefined when it no longer exists. */
  observe(key: string, pod: Pod | undefined, atMs: number): void {
    const before = this.#pods.get(key);
    if (pod === undefined) {
      if (before?.available === true) this.#add(before.tracked, -1, atMs);
      this.#pods.delete(key);
      return;
    }
    const tracked = before?.tracked ?? this.#track(pod);
    const isReady = isPodActive(pod) && isPodReady(pod);
    const nodeName = pod.spec?.nodeName ?? "";
    const available = isReady && this.#deps.serves(nodeName);
    if ((before?.available ?? false) !== available) this.#add(tracked, available ? 1 : -1, atMs);
    this.#pods.set(key, { tracked, nodeName, isReady, available });
  }

  /**
   * Inspects the pods of some nodes again, because their power or their connections have changed.
   */
  observeNodes(names: ReadonlySet<string>, atMs: number): void {
    for (const pod of this.#pods.values()) {
      if (!names.has(pod.nodeName)) continue;
      const available = pod.isReady && this.#deps.serves(pod.nodeName);
      if (available === pod.available) continue;
      this.#add(pod.tracked, available ? 1 : -1, atMs);
      pod.available = available;
    }
  }

  /** Counts time from now on, and discards everything before. */
  begin(): void {
    for (const [tracked, available] of this.#available) {
      tracked.samples.length = 0;
      tracked.samples.push({ atMs: 0, available });
    }
  }

  workloads(): readonly TrackedWorkload[] {
    return [...this.#tracked.values()].toSorted((a, b) => (a.workload.name < b.workload.name ? -1 : 1));
  }

  availableOf(tracked: TrackedWorkload): number {
    return this.#available.get(tracked) ?? 0;
  }

  #track(pod: Pod): TrackedWorkload {
    const workload = this.#workloads.of(pod);
    const known = this.#tracked.get(workload.uid);
    if (known !== undefined) return known;
    const wanted = this.#wanted.get(workload.uid) ?? 1;
    const tracked = { workload, wanted, samples: [{ atMs: 0, available: 0 }] };
    this.#tracked.set(workload.uid, tracked);
    this.#available.set(tracked, 0);
    return tracked;
  }

  #add(tracked: TrackedWorkload, by: number, atMs: number): void {
    const available = (this.#available.get(tracked) ?? 0) + by;
    this.#available.set(tracked, available);
    if (tracked.samples.at(-1)?.atMs === atMs) tracked.samples.pop();
    tracked.samples.push({ atMs, available });
  }
}

/** The number of pods that each workload wants, by its UID. */
function wantedPodsOf(objects: ReadonlyMap<string, readonly ApiObject[]>): Map<string, number> {
  const wanted = new Map<string, number>();
  const put = ({ metadata }: ApiObject, count: number) => wanted.set(metadata.uid ?? "", count);
  for (const type of [deployments, statefulSets, replicaSets, replicationControllers])
    for (const object of objects.get(type.resource) ?? []) put(object, (object as Deployment).spec?.replicas ?? 1);
  for (const set of (objects.get(daemonSets.resource) ?? []) as readonly DaemonSet[])
    put(set, set.status?.desiredNumberScheduled ?? 0);
  for (const job of (objects.get(jobs.resource) ?? []) as readonly Job[]) put(job, job.status?.active ?? 1);
  return wanted;
}
