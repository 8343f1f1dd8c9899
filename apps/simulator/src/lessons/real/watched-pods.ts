import { isPodActive, type Pod } from "@kintsugi/api";
import { type AvailabilitySample, countChange, isReady, type PodCounts } from "@kintsugi/simulation";
import type { MachineChange } from "./plan-real-run.ts";

/** A lesson of a day with a change in every second has fewer samples. */
const samplesMax = 50_000;

interface WatchedWorkload {
  readonly wanted: number;
  readonly samples: AvailabilitySample[];
  readonly counts: { -readonly [Key in keyof PodCounts]: number };
}

/**
 * Counts the pods of each workload of a real cluster. A pod is available if the API reports it
 * Ready, and its machine is on and connected: the faults of a lesson are known before any
 * controller detects them.
 */
export class WatchedPods {
  readonly #workloads: ReadonlyMap<string, WatchedWorkload>;
  readonly #pods = new Map<string, Pod>();
  readonly #unreachable = new Set<string>();
  /** The identities of containers that ended with the power of their machine. */
  readonly #ended = new Set<string>();

  constructor(wanted: ReadonlyMap<string, number>) {
    this.#workloads = new Map(
      [...wanted].map(([name, count]) => [
        name,
        { wanted: count, samples: [], counts: { created: 0, deleted: 0, evictions: 0, restarts: 0 } },
      ]),
    );
  }

  /** Restarts all counts. */
  begin(): void {
    for (const { samples, counts } of this.#workloads.values()) {
      samples.length = 0;
      Object.assign(counts, { created: 0, deleted: 0, evictions: 0, restarts: 0 });
    }
    this.sample(0);
  }

  pod(type: "put" | "delete", pod: Pod): void {
    const key = pod.metadata.uid ?? "";
    const workload = this.#workloads.get(workloadOf(pod));
    if (workload) countChange(workload.counts, pod, { type, old: this.#pods.get(key) });
    if (type === "delete") this.#pods.delete(key);
    else this.#pods.set(key, pod);
  }

  machine(change: MachineChange): void {
    switch (change.is) {
      case "none":
        return;
      case "off":
        for (const pod of this.#pods.values())
          if (pod.spec?.nodeName === change.node) for (const id of containersOf(pod)) this.#ended.add(id);
        this.#unreachable.add(change.node);
        return;
      case "cut":
        this.#unreachable.add(change.node);
        return;
      case "connected":
        this.#unreachable.delete(change.node);
    }
  }

  /** Records the present state of each workload, if it has changed. @returns the changed names */
  sample(atMs: number): string[] {
    const changed: string[] = [];
    for (const [name, { wanted, samples }] of this.#workloads) {
      const ready = [...this.#pods.values()].filter(
        (pod) => workloadOf(pod) === name && isPodActive(pod) && isReady(pod),
      );
      const available = ready.filter((pod) => this.#isReachable(pod)).length;
      const last = samples.at(-1);
      if (last?.ready === ready.length && last.available === available) continue;
      if (samples.length < samplesMax) samples.push({ atMs, wanted, ready: ready.length, available });
      changed.push(name);
    }
    return changed;
  }

  /** True if every workload has all of its pods. */
  get isWhole(): boolean {
    return [...this.#workloads.keys()].every((name) => {
      const { samples, wanted } = this.of(name);
      return (samples.at(-1)?.available ?? 0) >= wanted;
    });
  }

  of(name: string): { wanted: number; samples: readonly AvailabilitySample[]; counts: PodCounts } {
    const workload = this.#workloads.get(name);
    if (workload === undefined) throw new Error(`no workload "${name}" is watched`);
    return workload;
  }

  #isReachable(pod: Pod): boolean {
    if (this.#unreachable.has(pod.spec?.nodeName ?? "")) return false;
    return !containersOf(pod).some((id) => this.#ended.has(id));
  }
}

function workloadOf({ metadata }: Pod): string {
  return metadata.labels?.["app"] ?? "";
}

function containersOf({ status }: Pod): string[] {
  return (status?.containerStatuses ?? []).flatMap(({ containerID }) => containerID ?? []);
}
