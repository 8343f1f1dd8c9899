import type { ContainerStatus as CriContainerStatus, PodSandboxStatus } from "@kintsugi/cri";
import { labelNames } from "./labels.ts";

/** The runtime's state of one pod at one moment, without earlier state. */
export interface ObservedPod {
  uid: string;
  name: string;
  namespace: string;
  /** Newest first. */
  sandboxes: readonly PodSandboxStatus[];
  /** The containers of all sandboxes and attempts, newest first. */
  containers: readonly ObservedContainer[];
}

export interface ObservedContainer extends CriContainerStatus {
  sandboxId: string;
}

export function nameOf(container: ObservedContainer): string {
  return container.labels[labelNames.containerName] ?? container.metadata.name;
}

/** The newest instance of the container with this name. */
export function findContainer(observed: ObservedPod, name: string): ObservedContainer | undefined {
  return observed.containers.find((container) => nameOf(container) === name);
}

/** The same pod, but only with the containers of its newest sandbox. */
export function inNewestSandbox(observed: ObservedPod): ObservedPod {
  const newest = observed.sandboxes[0];
  return { ...observed, containers: observed.containers.filter(({ sandboxId }) => sandboxId === newest?.id) };
}

export function isRunning(container: ObservedContainer): boolean {
  return container.state === "running";
}

/**
 * Reports whether the container runs, or is not known to be stopped. The kubelet has to kill such a
 * container before it removes the pod.
 */
export function mayRun(container: ObservedContainer): boolean {
  return container.state === "running" || container.state === "unknown";
}
