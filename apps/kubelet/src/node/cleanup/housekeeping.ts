import { join } from "node:path";
import type { Logger, Metrics } from "@kintsugi/api";
import { AutoResetEvent, type Clock } from "@kintsugi/clock";
import type { Files } from "../../machine/files/files.ts";
import type { Mounts } from "../../machine/files/mounts.ts";
import { removeWithMounts } from "../../machine/files/remove-with-mounts.ts";
import { uidOfLogDirectory } from "../../model/labels.ts";
import type { NodeContext } from "../../model/node-context.ts";
import type { KnownPods } from "../../pods/static/node-pods.ts";
import type { PodRoster } from "../../pods/work/pod-roster.ts";
import type { PodWorkers } from "../../pods/work/pod-workers.ts";
import type { PodIdentity } from "../../runtime/observation/container-events.ts";
import type { Pleg } from "../../runtime/observation/pleg.ts";

export interface HousekeepingOptions {
  /** Default 2 s, as upstream's. */
  periodMs: number;
  /**
   * Interval of searches for directories of removed pods. They are removed with their pods, so
   * these searches find few directories.
   */
  directoryPeriodMs: number;
}

export interface HousekeepingDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  pleg: Pleg;
  workers: Pick<PodWorkers, "removeUnknown">;
  roster: Pick<PodRoster, "has">;
  known: Pick<KnownPods, "has" | "synced">;
  files: Files;
  mounts: Mounts;
  node: NodeContext;
  /**
   * Removes the volumes, the directory and the cgroups of a pod without containers or sandboxes in
   * the runtime.
   */
  remains: { removeRemains(uid: string): Promise<void> };
}

/**
 * Removes everything without a pod: containers and sandboxes of pods that the API does not have,
 * and their directories.
 */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  readonly #options: HousekeepingOptions;
  readonly #orphans;
  /**
   * Pods that were also unknown in the last round, because a single round could fall between two
   * messages.
   */
  #suspects = new Set<string>();
  /**
   * True when every running pod had its worker in the last round, and no pod was added or removed
   * since.
   */
  #allHaveWorkers = false;
  readonly #wakeUp: AutoResetEvent;

  constructor(deps: HousekeepingDeps, options: HousekeepingOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#wakeUp = new AutoResetEvent(deps.clock);
    deps.pleg.onNewRecord(() => this.#notice());
    this.#orphans = deps.metrics.counter({
      name: "kubelet_orphaned_runtime_pods_total",
      help: "Number of pods that have been detected in the container runtime without being already known to the pod worker.",
    });
  }

  /**
   * Records that a worker has ended, so that containers of its pod that still run are now unknown.
   */
  forgotten(): void {
    this.#notice();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const startedMs = clock.monotonicMs();
    let directoriesDueMs = startedMs;
    while (!signal.aborted) {
      this.#removeUnknownPods();
      if (clock.monotonicMs() >= directoriesDueMs && this.#canJudge()) {
        directoriesDueMs = clock.monotonicMs() + this.#options.directoryPeriodMs;
        await this.#removeUnknownDirectories().catch((error: unknown) =>
          log.warn("directories not cleaned", { error }),
        );
      }
      await this.#untilNextRound({ startedMs, directoriesDueMs }, signal);
    }
  }

  /** Rounds that cannot find work are skipped; the other rounds keep their times. */
  async #untilNextRound(round: { startedMs: number; directoriesDueMs: number }, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const { periodMs } = this.#options;
    const spareMs = round.directoriesDueMs - clock.monotonicMs() - periodMs;
    if (this.#allHaveWorkers && spareMs > 0) await this.#wakeUp.wait(spareMs, signal);
    const sinceRoundMs = (clock.monotonicMs() - round.startedMs) % periodMs;
    await clock.sleep(periodMs - sinceRoundMs, signal, "routine").catch(() => {});
  }

  #notice(): void {
    this.#allHaveWorkers = false;
    this.#wakeUp.set();
  }

  #canJudge(): boolean {
    return this.#deps.known.synced && this.#deps.pleg.hasListed;
  }

  #removeUnknownPods(): void {
    if (!this.#canJudge()) return;
    const { pleg, workers, roster, known, log } = this.#deps;
    if (this.#allHaveWorkers) return;
    const unknown = new Map<string, PodIdentity>();
    let allHaveWorkers = true;
    for (const { pod } of pleg.records.values()) {
      if (roster.has(pod.uid)) continue;
      allHaveWorkers = false;
      if (!known.has(pod.uid)) unknown.set(pod.uid, pod);
    }
    this.#allHaveWorkers = allHaveWorkers;
    for (const [uid, pod] of unknown) {
      if (!this.#suspects.has(uid)) continue;
      log.info("unknown pod found in the runtime", { pod: `${pod.namespace}/${pod.name}`, uid });
      this.#orphans.add(1);
      workers.removeUnknown(pod);
    }
    this.#suspects = new Set(unknown.keys());
  }

  /**
   * A pod that still exists in the runtime is left to its worker. Its containers are stopped before
   * their volumes are removed, because they would continue to write to an unmounted directory.
   */
  #isOurs(uid: string): boolean {
    const { roster, known, pleg } = this.#deps;
    return roster.has(uid) || known.has(uid) || [...pleg.records.values()].some(({ pod }) => pod.uid === uid);
  }

  async #removeUnknownDirectories(): Promise<void> {
    const { files, node } = this.#deps;
    for (const name of await files.list(node.podLogsDirectory)) {
      const uid = uidOfLogDirectory(name);
      if (uid !== undefined && !this.#isOurs(uid)) await files.remove(join(node.podLogsDirectory, name));
    }
    for (const parent of [join(node.rootDirectory, "pods"), node.memoryDirectory]) {
      for (const uid of await files.list(parent)) if (!this.#isOurs(uid)) await this.#removeRemains(uid, parent);
    }
  }

  /** A volume whose driver is down does not delay the clean-up of other pods. */
  async #removeRemains(uid: string, parent: string): Promise<void> {
    try {
      await this.#deps.remains.removeRemains(uid);
      await removeWithMounts(this.#deps, join(parent, uid));
    } catch (error) {
      this.#deps.log.warn("remains of a pod not removed", { uid, error });
    }
  }
}
