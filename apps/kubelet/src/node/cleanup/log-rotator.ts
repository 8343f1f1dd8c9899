import { basename, dirname, join } from "node:path";
import { isMirrorPod, type Logger, oncePer, type Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type ContainerRuntime, RuntimeError } from "@kintsugi/cri";
import { containerLogPath } from "../../containers/config/container-config.ts";
import type { Files } from "../../machine/files/files.ts";
import { type NodeContext, podLogDirectory } from "../../model/node-context.ts";
import { containerStatusesOf } from "../../model/bound-pod.ts";
import { runtimeIdOf } from "../../model/labels.ts";
import { planRotation, type RotationOptions } from "../../runtime/logs/rotated-logs.ts";

export interface LogRotatorOptions extends RotationOptions {
  /** The time between two checks of logs (containerLogMonitorInterval). Default 10 s. */
  periodMs: number;
}

export interface LogRotatorDeps {
  runtime: ContainerRuntime;
  files: Files;
  clock: Clock;
  log: Logger;
  node: NodeContext;
  /** The pods of the API, and the uid under which each pod's containers run. */
  pods: { list(): readonly Pod[]; runtimeUidOf(pod: Pod): string };
}

interface ContainerLog {
  id: string;
  expectedPath: string;
}

/**
 * Limits the size of containers' logs: the runtime begins a new file, and older files are
 * compressed.
 */
export class LogRotator {
  readonly #deps: LogRotatorDeps;
  readonly #options: LogRotatorOptions;
  readonly #logsOf: (pod: Pod) => readonly ContainerLog[];

  constructor(deps: LogRotatorDeps, options: LogRotatorOptions) {
    this.#deps = deps;
    this.#options = options;
    const read = (pod: Pod) => runningLogs(pod, deps.node, deps.pods.runtimeUidOf(pod));
    // Any change of a pod makes a new object. The result for a mirror pod also depends on the
    // node's static pods, so it is not cached.
    const kept = oncePer(read);
    this.#logsOf = (pod) => (isMirrorPod(pod) ? read(pod) : kept(pod));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { maxSizeBytes, periodMs } = this.#options;
    if (maxSizeBytes < 0) return;
    while (!signal.aborted) {
      await this.#look(this.#deps.pods.list().flatMap(this.#logsOf), signal);
      await this.#deps.clock.sleep(periodMs, signal, "routine").catch(() => {});
    }
  }

  /** Checks all logs concurrently, because nearly always no log is too large. */
  async #look(logs: readonly ContainerLog[], signal: AbortSignal): Promise<void> {
    const sizes = await this.#deps.files.sizes(logs.map(({ expectedPath }) => expectedPath));
    for (const [index, log] of logs.entries()) {
      const size = sizes[index];
      if (size === undefined || (typeof size === "number" && size < this.#options.maxSizeBytes)) continue;
      try {
        if (size instanceof Error) throw size;
        await this.#rotateIfWritten(log, signal);
      } catch (error) {
        if (!signal.aborted) this.#deps.log.warn("log not rotated", { container: log.id, error });
      }
    }
  }

  async #rotateIfWritten({ id, expectedPath }: ContainerLog, signal: AbortSignal): Promise<void> {
    try {
      const { state, logPath } = await this.#deps.runtime.containerStatus(id, signal);
      // An ended container does not write output, and its log must not become empty.
      if (state === "running" && logPath === expectedPath) await this.#rotate(id, logPath, signal);
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.reason !== "notFound") throw error;
    }
  }

  async #rotate(id: string, logPath: string, signal: AbortSignal): Promise<void> {
    const { files, runtime, clock, log } = this.#deps;
    const directory = dirname(logPath);
    const found = { name: basename(logPath), others: await files.list(directory) };
    const plan = planRotation(found, this.#options, clock.nowMs());
    for (const name of plan.remove) await files.remove(join(directory, name));
    for (const name of plan.compress) await files.compress(join(directory, name));
    const rotated = join(directory, plan.rotateTo);
    await files.rename(logPath, rotated);
    try {
      await runtime.reopenContainerLog(id, signal);
    } catch (error) {
      // The runtime still writes to the same file, so the file is renamed back and the rotation is
      // retried.
      await files.rename(rotated, logPath);
      throw error;
    }
    log.info("log rotated", { container: id, log: logPath });
  }
}

/**
 * Lists the logs of containers that run according to the API. A container that is not in the API
 * yet has not written much.
 */
function runningLogs(pod: Pod, node: NodeContext, uid: string): ContainerLog[] {
  const { namespace = "", name = "" } = pod.metadata;
  const directory = podLogDirectory(node, { namespace, name, uid });
  return containerStatusesOf(pod)
    .filter(({ state, containerID }) => state?.running && containerID)
    .map((container) => ({
      id: runtimeIdOf(container.containerID ?? ""),
      expectedPath: join(directory, containerLogPath(container.name, container.restartCount)),
    }));
}
