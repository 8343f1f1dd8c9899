import type { Logger, Metrics } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type Container, type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import type { ImageKeeperOptions } from "../../containers/images/image-keeper.ts";
import type { Files } from "../../machine/files/files.ts";
import type { FilesystemSpace, Machine } from "../../machine/kernel/machine.ts";
import type { NodeContext } from "../../model/node-context.ts";
import { type EventSink, nodeReference } from "../../model/pod-events.ts";
import type { KnownPods } from "../../pods/static/node-pods.ts";
import type { PodRoster } from "../../pods/work/pod-roster.ts";
import { removeLogs } from "../../runtime/logs/rotated-logs.ts";
import { type ContainerGcOptions, planContainerGc } from "./plan-container-gc.ts";
import {
  bytesToFree,
  type ImageGcOptions,
  type ImageRecord,
  noteImages,
  planImageRemoval,
  planOldImages,
} from "./plan-image-gc.ts";

export interface GarbageCollectorOptions {
  containers: ContainerGcOptions;
  images: ImageGcOptions;
  /** The time between two searches for ended containers. Default 1 min, upstream's value. */
  containerPeriodMs: number;
  /** The time between two searches for images. Default 5 min, upstream's value. */
  imagePeriodMs: number;
  /**
   * The image of sandboxes (`--pod-infra-container-image`), which is in use although no container
   * names it.
   */
  sandboxImage: string;
}

/**
 * Images that are treated as permanent on a node without a registry (ImageKeeperOptions) are not
 * removed there.
 */
type Options = GarbageCollectorOptions & Pick<ImageKeeperOptions, "localImages">;

export interface GarbageCollectorDeps {
  runtime: ContainerRuntime;
  machine: Machine;
  files: Files;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  node: NodeContext;
  nodeEvents: EventSink;
  roster: Pick<PodRoster, "isTerminated">;
  /** No pod counts as ended before the pods of this node have been read. */
  known: Pick<KnownPods, "synced">;
}

/**
 * Frees everything that pods no longer need: ended containers, their logs, their sandboxes, and
 * images.
 */
export class GarbageCollector {
  readonly #deps: GarbageCollectorDeps;
  readonly #options: Options;
  readonly #imagesCollected;
  readonly #sinceMs: number;
  #records = new Map<string, ImageRecord>();
  #hasLooked = false;

  constructor(deps: GarbageCollectorDeps, options: Options) {
    this.#deps = deps;
    this.#options = options;
    this.#sinceMs = deps.clock.nowMs();
    this.#imagesCollected = deps.metrics.counter({
      name: "kubelet_image_garbage_collected_total",
      help: "Total number of images garbage collected by the kubelet, whether through disk usage or image age.",
      labels: ["reason"],
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { containerPeriodMs, imagePeriodMs } = this.#options;
    await Promise.all([
      this.#every(containerPeriodMs, (stop) => this.#collectContainers({ pressed: false }, stop), signal),
      this.#every(imagePeriodMs, (stop) => this.#collectImages(stop), signal),
    ]);
  }

  /** Removes everything that is not needed, for a disk that is full. */
  async reclaim(signal: AbortSignal): Promise<void> {
    await this.#collectContainers({ pressed: true }, signal);
    await this.#noteImages(signal);
    const { minAgeMs } = this.#options.images;
    const nowMs = this.#deps.clock.nowMs();
    await this.#remove(planImageRemoval(this.#records, { bytes: Infinity, minAgeMs }, nowMs), "space", signal);
  }

  async #every(periodMs: number, work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => {
        if (!signal.aborted) log.warn("garbage not collected", { error });
      });
      await clock.sleep(periodMs, signal, "routine").catch(() => {});
    }
  }

  async #collectContainers({ pressed }: { pressed: boolean }, signal: AbortSignal): Promise<void> {
    const { runtime, clock, log, roster, known } = this.#deps;
    if (!known.synced) return;
    const [ended, sandboxes] = await Promise.all([
      runtime.listContainers({ state: "exited" }, signal),
      runtime.listPodSandboxes({ ready: false }, signal),
    ]);
    if (ended.length + sandboxes.length === 0) return;
    const running = await runtime.listContainers({ state: "running" }, signal);
    const isEnded = (uid: string) => roster.isTerminated(uid);
    const observed = { containers: [...ended, ...running], sandboxes, isEnded };
    const plan = planContainerGc(observed, { ...this.#options.containers, pressed }, clock.nowMs());
    for (const container of plan.containers) await this.#removeContainer(container, signal);
    for (const id of plan.sandboxIds) await runtime.removePodSandbox(id, signal);
    if (plan.containers.length + plan.sandboxIds.length === 0) return;
    log.info("ended containers removed", { containers: plan.containers.length, sandboxes: plan.sandboxIds.length });
  }

  /** Removes a container with its logs, unless it has been removed in the meantime. */
  async #removeContainer({ id }: Container, signal: AbortSignal): Promise<void> {
    const { runtime, files } = this.#deps;
    try {
      const { logPath } = await runtime.containerStatus(id, signal);
      if (logPath !== "") await removeLogs(files, logPath);
      await runtime.removeContainer(id, signal);
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.reason !== "notFound") throw error;
    }
  }

  async #collectImages(signal: AbortSignal): Promise<void> {
    const { images: options } = this.#options;
    if (options.highThresholdPercent >= 100 && options.maxAgeMs === 0) return;
    await this.#noteImages(signal);
    const nowMs = this.#deps.clock.nowMs();
    await this.#remove(planOldImages(this.#records, { ...options, sinceMs: this.#sinceMs }, nowMs), "age", signal);
    const space = await this.#imageSpace(signal);
    if (!space) return;
    const bytes = bytesToFree(space, options);
    if (bytes <= 0) return;
    const chosen = planImageRemoval(this.#records, { bytes, minAgeMs: options.minAgeMs }, nowMs);
    const freed = await this.#remove(chosen, "space", signal);
    if (freed < bytes) this.#tellFailure(bytes, freed);
  }

  async #imageSpace(signal: AbortSignal): Promise<FilesystemSpace | undefined> {
    const { runtime, machine } = this.#deps;
    const [first] = await runtime.imageFsInfo(signal);
    return first && machine.filesystem(first.mountpoint);
  }

  async #noteImages(signal: AbortSignal): Promise<void> {
    const { runtime, clock } = this.#deps;
    const [images, containers] = await Promise.all([runtime.listImages(signal), runtime.listContainers({}, signal)]);
    const { sandboxImage, localImages } = this.#options;
    const isFirstLook = !this.#hasLooked;
    const seen = { images, containers, sandboxImage, localImages, isFirstLook };
    this.#records = noteImages(this.#records, seen, clock.nowMs());
    this.#hasLooked = true;
  }

  /**
   * Resolves with the number of freed bytes. An image that cannot be removed does not prevent the
   * removal of other images.
   */
  async #remove(records: readonly ImageRecord[], reason: "space" | "age", signal: AbortSignal): Promise<number> {
    const { runtime, log } = this.#deps;
    let freedBytes = 0;
    for (const { id, sizeBytes } of records) {
      try {
        await runtime.removeImage(id, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        log.warn("image not removed", { image: id, error });
        continue;
      }
      log.info("image removed", { image: id, bytes: sizeBytes, reason });
      this.#imagesCollected.add(1, { reason });
      this.#records.delete(id);
      freedBytes += sizeBytes;
    }
    return freedBytes;
  }

  #tellFailure(wantedBytes: number, freedBytes: number): void {
    const { nodeEvents, node } = this.#deps;
    const message = `Failed to garbage collect required amount of images. Attempted to free ${wantedBytes} bytes, but only found ${freedBytes} bytes eligible to free.`;
    nodeEvents.record(nodeReference(node.nodeName), { type: "Warning", reason: "FreeDiskSpaceFailed", message });
  }
}
