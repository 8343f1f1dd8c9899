import type { Pod } from "@kintsugi/api";
import type { Clock } from "@kintsugi/clock";
import { type BoundPod, boundPod, containersOf } from "../../model/bound-pod.ts";
import { containerIdText } from "../../model/labels.ts";
import type { PodEvents } from "../../model/pod-events.ts";
import type { Pleg } from "./pleg.ts";

/**
 * The end of a container that was itself killed is reported within tens of milliseconds. A
 * container that still runs after this time has survived.
 */
const settleMs = 2000;

export interface OomWatcherDeps {
  clock: Clock;
  events: PodEvents;
  pleg: Pick<Pleg, "records">;
  /** Finds the copy of a pod in the API by the uid in the runtime. */
  pods: { find(uid: string): Pod | undefined };
}

/**
 * Reports processes that the kernel killed inside a container that continues to run. A kill of the
 * container's first process shows in its end (OOMKilled, 137); the kill of a child process is not
 * shown anywhere else (kubernetes/kubernetes#78973).
 */
export class OomWatcher {
  readonly #deps: OomWatcherDeps;
  /** The ids of containers. A series of kills is one event, and its count grows. */
  readonly #waiting = new Set<string>();

  constructor(deps: OomWatcherDeps) {
    this.#deps = deps;
  }

  /** Records that the kernel has OOM-killed a process in the container. */
  note(containerId: string): void {
    if (this.#waiting.has(containerId)) return;
    this.#waiting.add(containerId);
    this.#deps.clock.after(settleMs, () => {
      this.#waiting.delete(containerId);
      this.#tell(containerId);
    });
  }

  #tell(containerId: string): void {
    const running = this.#findRunning(containerId);
    if (!running) return;
    const { pod, containerName } = running;
    const limit = containersOf(pod).find(({ name }) => name === containerName)?.resources?.limits?.["memory"];
    const bounds = limit === undefined ? "" : ` (limit ${limit})`;
    const message = `Memory of container ${containerName}${bounds} ran out: a process in it was killed, and the container continues without that process`;
    this.#deps.events.warning(pod, "OOMKilling", message, containerName);
  }

  /** A running container in the runtime and the API; undefined when it has ended. */
  #findRunning(containerId: string): { pod: BoundPod; containerName: string } | undefined {
    const { pleg, pods } = this.#deps;
    const record = pleg.records.get(containerId);
    const stored = record?.state === "running" ? pods.find(record.pod.uid) : undefined;
    if (!stored) return undefined;
    const { containerStatuses = [], initContainerStatuses = [] } = stored.status ?? {};
    const status = [...containerStatuses, ...initContainerStatuses].find(
      ({ containerID }) => containerID === containerIdText(containerId),
    );
    return status && { pod: boundPod(stored), containerName: status.name };
  }
}
