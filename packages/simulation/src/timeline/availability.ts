import { type ApiObject, controllerOf, isPodActive, type Pod } from "@kintsugi/api";
import type { CommittedChange } from "@kintsugi/store";
import type { SimulatedCluster } from "../cluster.ts";
import { isReady, parseValue } from "../committed-values.ts";
import { kindOfResource } from "../workloads/workload-kinds.ts";
import type { AvailabilitySample } from "./downtime.ts";
import { countChange, type PodCounts } from "./pod-counts.ts";

interface Workload {
  wanted: number;
  readonly samples: AvailabilitySample[];
  readonly counts: { -readonly [Key in keyof PodCounts]: number };
}

/** Interval at which a node is inspected while its stream of runtime events is broken. */
const resubscribeMs = 1000;

/** Tracks the pods of every workload: their state in the API, and their running containers. */
export class Availability {
  readonly #cluster: SimulatedCluster;
  readonly #workloads = new Map<string, Workload>();
  readonly #pods = new Map<string, Pod>();
  /** The name of each pod owner's owner, by the pod owner's name. */
  readonly #ownerOf = new Map<string, string>();
  readonly #stop = new AbortController();
  #beganMs = 0;

  constructor(cluster: SimulatedCluster, workloads: readonly string[]) {
    this.#cluster = cluster;
    for (const name of workloads)
      this.#workloads.set(name, {
        wanted: 0,
        samples: [],
        counts: { created: 0, deleted: 0, evictions: 0, restarts: 0 },
      });
    const unsubscribe = cluster.store.subscribe((changes) => {
      for (const change of changes) this.#observe(change);
      this.sample();
    });
    this.#stop.signal.addEventListener("abort", unsubscribe, { once: true });
  }

  /** Counts time from now on, and discards all earlier samples. */
  begin(): void {
    this.#beganMs = this.#cluster.nowMs;
    for (const workload of this.#workloads.values()) {
      workload.samples.length = 0;
      Object.assign(workload.counts, { created: 0, deleted: 0, evictions: 0, restarts: 0 });
    }
    for (const { runtime } of this.#cluster.nodes) void this.#follow(runtime);
    this.sample();
  }

  end(): void {
    this.#stop.abort();
  }

  of(workload: string): { samples: readonly AvailabilitySample[]; counts: PodCounts } {
    const { samples = [], counts } = this.#workloads.get(workload) ?? {};
    return { samples, counts: counts ?? { created: 0, deleted: 0, evictions: 0, restarts: 0 } };
  }

  /** Records the present state, if it has changed. */
  sample(): void {
    const atMs = Math.round(this.#cluster.nowMs - this.#beganMs);
    const running = this.#running();
    for (const [name, { wanted, samples }] of this.#workloads) {
      const ready = [...this.#pods.values()].filter(
        (pod) => this.#workloadOf(pod) === name && isPodActive(pod) && isReady(pod),
      );
      const available = ready.filter((pod) => runs(pod, running)).length;
      const last = samples.at(-1);
      if (last?.wanted === wanted && last.ready === ready.length && last.available === available) continue;
      if (last?.atMs === atMs) samples.pop();
      samples.push({ atMs, wanted, ready: ready.length, available });
    }
  }

  #observe({ resource, type, entry, before }: CommittedChange): void {
    const kind = kindOfResource(resource);
    if (kind) {
      const object = parseValue<ApiObject>(entry.value);
      const { name = "" } = object.metadata;
      const owner = controllerOf(object);
      if (owner !== undefined) this.#ownerOf.set(name, owner.name);
      const workload = this.#workloads.get(name);
      if (workload) workload.wanted = type === "delete" ? 0 : kind.wantedPods(object);
    }
    if (resource !== "core/pods") return;
    const pod = parseValue<Pod>(entry.value);
    const workload = this.#workloads.get(this.#workloadOf(pod));
    if (workload) countChange(workload.counts, pod, { type, old: before && this.#pods.get(entry.key) });
    if (type === "delete") this.#pods.delete(entry.key);
    else this.#pods.set(entry.key, pod);
  }

  /** The name of the pod's workload. */
  #workloadOf(pod: Pod): string {
    const owner = controllerOf(pod)?.name ?? "";
    return this.#ownerOf.get(owner) ?? owner;
  }

  /**
   * Returns the running pods, by the node that runs them; pods on a machine that is cut off are
   * unreachable for clients.
   */
  #running(): ReadonlyMap<string, ReadonlySet<string>> {
    return new Map(
      this.#cluster.nodes.map(({ name, wire, runtime }) => [
        name,
        new Set(wire.isCut ? [] : runtime.running().containers.map(({ id }) => id)),
      ]),
    );
  }

  /** Containers can end without a write of any component. */
  async #follow(runtime: SimulatedCluster["nodes"][number]["runtime"]): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        for await (const _ of runtime.events(signal)) this.sample();
      } catch {
        // The runtime is down; its changes in the meantime are seen with the next event, or when it
        // is back.
      }
      this.sample();
      await this.#cluster.clock.sleep(resubscribeMs, signal).catch(() => {});
    }
  }
}

function runs({ spec, status }: Pod, running: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const here = running.get(spec?.nodeName ?? "");
  const ids = (status?.containerStatuses ?? []).map(({ containerID }) => containerID?.replace(/^.*:\/\//, "") ?? "");
  return ids.length > 0 && ids.every((id) => here?.has(id) === true);
}
