import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { TimeIsUp, within } from "../../base/within.ts";
import { containerResources } from "../../containers/cgroups/container-resources.ts";
import type { PodCgroups } from "../../containers/cgroups/pod-cgroups.ts";
import { CgroupError } from "../../machine/kernel/cgroups.ts";
import type { NodeContext } from "../../model/node-context.ts";
import type { PodResizes } from "../admission/pod-resizes.ts";
import type { SyncedPod } from "../parts/pod-part.ts";
import type { ResizeStep } from "../plan/steps.ts";
import { memoryDecreases, refuseDecreases } from "./memory-decrease.ts";

/** Time limit of the runtime's answer about a pod's memory, after which the resize waits. */
const usageMsMax = 5_000;

export interface ContainerResizerDeps {
  runtime: ContainerRuntime;
  clock: Clock;
  podCgroups: Pick<PodCgroups, "ensure" | "makeRoom">;
  resizes: Pick<PodResizes, "actuated" | "failed" | "record">;
}

/** Changes the cpu and memory of a running container. */
export class ContainerResizer {
  readonly #deps: ContainerResizerDeps;
  readonly #node: NodeContext;

  constructor(deps: ContainerResizerDeps, node: NodeContext) {
    this.#deps = deps;
    this.#node = node;
  }

  /**
   * Resolves with whether the container was resized. After a rejection by the runtime, the
   * container continues to run unchanged, and is resized later.
   */
  async resize({ pod, observed }: SyncedPod, step: ResizeStep, signal: AbortSignal): Promise<boolean> {
    const { runtime, podCgroups, resizes } = this.#deps;
    const { container, spec, resources } = step;
    try {
      const refusal = await this.#refuseDecrease({ pod, observed }, step, signal);
      if (refusal !== undefined) throw new RuntimeError("failed", refusal);
      const settings = containerResources(pod, spec, this.#node.capacity.memoryBytes);
      await podCgroups.makeRoom(pod);
      await runtime.updateContainerResources(container.id, settings, signal);
      await resizes.actuated(observed, container.id, resources);
      await podCgroups.ensure(pod);
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof RuntimeError || error instanceof CgroupError)) throw error;
      resizes.failed(pod, error.message);
      return false;
    }
  }

  /** The kernel would kill a container that uses more memory than its new limit. */
  async #refuseDecrease(
    { pod, observed }: SyncedPod,
    { container }: ResizeStep,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { clock, runtime, resizes } = this.#deps;
    const record = resizes.record(pod.metadata.uid);
    const decreases = memoryDecreases(pod, { observed, resized: container, record });
    if (decreases.length === 0) return undefined;
    const filter = { sandboxId: container.sandboxId };
    try {
      const stats = await within(clock, { timeoutMs: usageMsMax, signal }, (limited) =>
        runtime.listContainerStats(filter, limited),
      );
      return refuseDecreases(decreases, stats);
    } catch (error) {
      if (!(error instanceof TimeIsUp)) throw error;
      return `unable to read memory usage: ${error.message}`;
    }
  }
}
