import { isDeepStrictEqual } from "node:util";
import type { Logger } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { podCgroup } from "./pod-cgroup-paths.ts";
import type { BoundPod } from "../../model/bound-pod.ts";
import { allPodsLimits, bestEffortLimits, burstableLimits, podCgroupLimits } from "./cgroup-limits.ts";
import type { CgroupLimits, Cgroups } from "../../machine/kernel/cgroups.ts";

export interface PodCgroupsOptions {
  /**
   * Limits all pods together to the resources that are not reserved
   * (`--enforce-node-allocatable=pods`). Default true.
   */
  enforceNodeAllocatable: boolean;
  /**
   * Limit of the processes of one pod (`--pod-max-pids`). Default undefined: limited only by the
   * node.
   */
  podPidsMax: number | undefined;
}

export interface PodCgroupsDeps {
  cgroups: Cgroups;
  clock: Clock;
  log: Logger;
  node: NodeContext;
  nodeEvents: EventSink;
  roster: ActivePods;
}

/** The pods of this node that may run containers. */
interface ActivePods {
  activePods(): readonly BoundPod[];
}

/**
 * Upstream's periodicQOSCgroupUpdateInterval: the interval at which the limits of the classes are
 * corrected.
 */
const updateIntervalMs = 60_000;

/**
 * Manages the cgroups above the containers': of each pod, of the two QoS classes, and of all pods
 * together.
 */
export class PodCgroups {
  readonly #deps: PodCgroupsDeps;
  readonly #options: PodCgroupsOptions;
  #isEnforced = false;
  /** The last limits of the class of Burstable pods. */
  #burstable: CgroupLimits | undefined;

  constructor(deps: PodCgroupsDeps, options: PodCgroupsOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, roster } = this.#deps;
    while (!signal.aborted) {
      await this.#enforceAllocatable();
      await this.#updateClasses(burstableLimits(roster.activePods())).catch((error: unknown) =>
        log.warn("cgroups of the QoS classes not updated", { error }),
      );
      await clock.sleep(updateIntervalMs, signal, "routine").catch(() => {});
    }
  }

  /**
   * Creates the pod's cgroup, before the pod has its first process.
   * @throws CgroupError
   */
  async ensure(pod: BoundPod): Promise<void> {
    const burstable = burstableLimits(this.#deps.roster.activePods());
    if (!isDeepStrictEqual(burstable, this.#burstable)) await this.#updateClasses(burstable);
    await this.#deps.cgroups.apply(podCgroup(pod, this.#deps.node), this.#limitsOf(pod));
  }

  /**
   * Raises the pod's limits for containers whose limits are about to grow; `ensure` lowers the
   * other limits afterwards.
   * @throws CgroupError
   */
  async makeRoom(pod: BoundPod): Promise<void> {
    await this.#deps.cgroups.raise(podCgroup(pod, this.#deps.node), this.#limitsOf(pod));
  }

  remove(uid: string): Promise<void> {
    return this.#deps.cgroups.removePod(this.#deps.node.podsCgroup, uid);
  }

  #limitsOf(pod: BoundPod): CgroupLimits {
    return podCgroupLimits(pod, this.#options.podPidsMax);
  }

  async #updateClasses(burstable: CgroupLimits): Promise<void> {
    const { cgroups, node } = this.#deps;
    await cgroups.apply(`${node.podsCgroup}/burstable`, burstable);
    await cgroups.apply(`${node.podsCgroup}/besteffort`, bestEffortLimits);
    this.#burstable = burstable;
  }

  /**
   * Sets the common limit of all pods. The write is retried while pods use more, because the kernel
   * does not lower a limit below the current use.
   */
  async #enforceAllocatable(): Promise<void> {
    if (this.#isEnforced || !this.#options.enforceNodeAllocatable) return;
    const { cgroups, node } = this.#deps;
    try {
      await cgroups.apply(node.podsCgroup, allPodsLimits(node.capacity, node.reserved));
      this.#isEnforced = true;
      this.#tell("Normal", "NodeAllocatableEnforced", "Updated Node Allocatable limit across pods");
    } catch (error) {
      const because = (error as Error).message;
      const message = `Failed to update Node Allocatable Limits ${JSON.stringify(node.podsCgroup)}: ${because}`;
      this.#tell("Warning", "FailedNodeAllocatableEnforcement", message);
    }
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#deps.nodeEvents.record(nodeReference(this.#deps.node.nodeName), { type, reason, message });
  }
}
