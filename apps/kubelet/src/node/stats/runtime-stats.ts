import type { Logger } from "@kintsugi/api";
import { type Clock, Semaphore } from "@kintsugi/clock";
import {
  type Container,
  type ContainerRuntime,
  type ContainerStats,
  type FilesystemUsage,
  type PodSandbox,
  type PodSandboxStats,
  RuntimeError,
} from "@kintsugi/cri";
import { TimeIsUp, within } from "../../base/within.ts";

/** The runtime's part of the node's statistics. */
export interface RuntimeStats {
  readonly images: readonly FilesystemUsage[];
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly Container[];
  readonly containerStats: readonly ContainerStats[];
  readonly sandboxStats: readonly PodSandboxStats[];
  /** Sandboxes for which the runtime has not answered in time. */
  readonly unanswered: ReadonlySet<string>;
}

export interface RuntimeStatsDeps {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The time limit of one call, for all pods and for one pod. A runtime waits for the process that
 * watches a container, and such a process can hang; usual answers take under 100 ms.
 */
const timeoutMs = { ofAll: 5_000, ofPod: 2_000 };
/**
 * Limit of pods that are queried concurrently where the runtime does not answer for all pods
 * together.
 */
const queriesAtOnceMax = 16;

/**
 * Reads statistics of the runtime. If the statistics of one pod hang, only that pod's figures are
 * missing.
 */
export class RuntimeStatsReader {
  readonly #deps: RuntimeStatsDeps;
  #tellsSandboxes = true;

  constructor(deps: RuntimeStatsDeps) {
    this.#deps = deps;
  }

  /** @throws RuntimeError when the runtime does not answer at all. */
  async read(signal: AbortSignal | undefined): Promise<RuntimeStats> {
    const { runtime } = this.#deps;
    const sandboxes = this.#once(signal, (limited) => runtime.listPodSandboxes({ ready: true }, limited));
    const unanswered = new Set<string>();
    const of = { sandboxes, unanswered, signal };
    const [images, ready, containers, containerStats, sandboxStats] = await Promise.all([
      this.#once(signal, (limited) => runtime.imageFsInfo(limited)),
      sandboxes,
      this.#once(signal, (limited) => runtime.listContainers({ state: "running" }, limited)),
      this.#ofPods(of, (id, limited) => runtime.listContainerStats(id === undefined ? {} : { sandboxId: id }, limited)),
      this.#ofPods(of, (id, limited) => this.#sandboxStats(id === undefined ? {} : { id }, limited)),
    ]);
    return { images, sandboxes: ready, containers, containerStats, sandboxStats, unanswered };
  }

  /** Queries all pods at the same time. If there is no answer in time, queries each pod. */
  async #ofPods<T>(
    reading: { sandboxes: Promise<PodSandbox[]>; unanswered: Set<string>; signal: AbortSignal | undefined },
    query: (sandboxId: string | undefined, signal: AbortSignal) => Promise<T[]>,
  ): Promise<T[]> {
    const { clock, log } = this.#deps;
    const inTime = (id: string | undefined) =>
      within(
        clock,
        { timeoutMs: id === undefined ? timeoutMs.ofAll : timeoutMs.ofPod, signal: reading.signal },
        (limited) => query(id, limited),
      ).catch(undefinedIfLate);
    const all = await inTime(undefined);
    if (all !== undefined) return all;
    const queries = new Semaphore(queriesAtOnceMax);
    const answers = (await reading.sandboxes).map(({ id }) =>
      queries.run(async () => {
        const found = await inTime(id);
        if (found === undefined) reading.unanswered.add(id);
        return found ?? [];
      }),
    );
    const found = (await Promise.all(answers)).flat();
    log.warn("statistics of pods not read in time", { sandboxes: [...reading.unanswered].slice(0, 10) });
    return found;
  }

  /** @throws RuntimeError when there is no answer in time. */
  async #once<T>(signal: AbortSignal | undefined, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await within(this.#deps.clock, { timeoutMs: timeoutMs.ofAll, signal }, call);
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
      throw new RuntimeError("deadlineExceeded", `statistics of the runtime: ${error.message}`, { cause: error });
    }
  }

  /**
   * Returns an empty list where the runtime is too old to support statistics of sandboxes. In this
   * case, the runtime is not called again.
   */
  async #sandboxStats(filter: { id?: string }, signal: AbortSignal): Promise<PodSandboxStats[]> {
    if (!this.#tellsSandboxes) return [];
    try {
      return await this.#deps.runtime.listPodSandboxStats(filter, signal);
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.reason !== "unimplemented") throw error;
      this.#tellsSandboxes = false;
      this.#deps.log.info("runtime does not report the usage of sandboxes");
      return [];
    }
  }
}

function undefinedIfLate(error: unknown): undefined {
  if (!(error instanceof TimeIsUp)) throw error;
}
