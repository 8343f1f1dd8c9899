import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import type { ContainerRuntime } from "@kintsugi/cri";
import type { Machine } from "../../machine/kernel/machine.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { newestSandboxes } from "../../model/newest-sandboxes.ts";
import { assembleSummary, type ObservedStats } from "./assemble-summary.ts";
import type { ClaimUsage } from "./claim-usages.ts";
import type { DiskUsages } from "./disk-usages.ts";
import { ProcessorRates } from "./processor-rates.ts";
import { RuntimeStatsReader } from "./runtime-stats.ts";
import type { Summary } from "./stats-api.ts";

export interface StatsProviderDeps {
  runtime: ContainerRuntime;
  machine: Machine;
  clock: Clock;
  log: Logger;
  node: NodeContext;
  disks: DiskUsages;
}

export interface StatsProviderOptions {
  /**
   * The shortest interval at which volumes are measured (`--volume-stats-agg-period`). Default 1
   * min.
   */
  volumeStatsAggPeriodMs: number;
}

/** Reads the usage of the node and its pods on demand. */
export class StatsProvider {
  readonly #deps: StatsProviderDeps;
  readonly #options: StatsProviderOptions;
  readonly #rates = new ProcessorRates();
  readonly #startedAtMs: number;
  readonly #runtimeStats: RuntimeStatsReader;

  constructor(deps: StatsProviderDeps, options: StatsProviderOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#runtimeStats = new RuntimeStatsReader(deps);
    this.#startedAtMs = deps.clock.nowMs();
  }

  /** @throws RuntimeError when the runtime does not answer. */
  async summary(signal?: AbortSignal): Promise<Summary> {
    const observed = await this.#observe(signal);
    const pods = observed.sandboxes.map(({ metadata }) => metadata);
    const disks = await this.#deps.disks.measure(pods, this.#options.volumeStatsAggPeriodMs);
    return this.#assemble({ ...observed, disks });
  }

  /** Returns the summary without the disks, which take long to measure. */
  async processorAndMemory(signal?: AbortSignal): Promise<Summary> {
    return this.#assemble({ ...(await this.#observe(signal)), disks: new Map() });
  }

  /** Returns the usage of the volumes behind claims, each volume once. */
  async claims(signal?: AbortSignal): Promise<ClaimUsage[]> {
    const sandboxes = await this.#deps.runtime.listPodSandboxes({ ready: true }, signal);
    const pods = [...newestSandboxes(sandboxes).values()].map(({ metadata }) => metadata);
    const disks = await this.#deps.disks.measure(pods, this.#options.volumeStatsAggPeriodMs);
    const all = [...disks.values()].flatMap(({ claims }) => claims);
    return [...new Map(all.map((usage) => [`${usage.claim.namespace}/${usage.claim.name}`, usage])).values()];
  }

  #assemble(observed: ObservedStats): Summary {
    const summary = assembleSummary(observed, (key, counter) => this.#rates.rateOf(key, counter));
    this.#rates.forgetUnseen();
    return summary;
  }

  async #observe(signal: AbortSignal | undefined): Promise<Omit<ObservedStats, "disks">> {
    const { machine, clock, node } = this.#deps;
    const [usage, { images, sandboxes, ...ofRuntime }] = await Promise.all([
      machine.usage(),
      this.#runtimeStats.read(signal),
    ]);
    const [imageUsage] = images;
    return {
      nodeName: node.nodeName,
      nowMs: clock.nowMs(),
      startedAtMs: this.#startedAtMs,
      usage,
      images: { usage: imageUsage, space: imageUsage && (await machine.filesystem(imageUsage.mountpoint)) },
      sandboxes: [...newestSandboxes(sandboxes).values()],
      ...ofRuntime,
    };
  }
}
