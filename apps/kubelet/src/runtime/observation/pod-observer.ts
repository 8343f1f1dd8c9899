import {
  type ContainerRuntime,
  type ContainerStatus as CriContainerStatus,
  type PodSandboxStatus,
  RuntimeError,
} from "@kintsugi/cri";
import type { PodIdentity } from "./container-events.ts";
import type { ListedPod } from "./first-listing.ts";
import { labelNames } from "../../model/labels.ts";
import type { ObservedContainer, ObservedPod } from "../../model/observed-pod.ts";

/**
 * Reads one pod from the runtime. A container that vanishes between listing and reading is omitted,
 * because it no longer exists.
 * @throws RuntimeError when the runtime cannot be read, so that the state is unknown.
 */
export async function observePod(
  runtime: ContainerRuntime,
  pod: PodIdentity,
  signal?: AbortSignal,
): Promise<ObservedPod> {
  const filter = { labels: { [labelNames.podUid]: pod.uid } };
  const [sandboxes, containers] = await Promise.all([
    runtime.listPodSandboxes(filter, signal),
    runtime.listContainers(filter, signal),
  ]);
  return observeListed(runtime, { pod, listed: { sandboxes, containers } }, signal);
}

/** Reads a pod whose sandboxes and containers are already listed. */
export async function observeListed(
  runtime: ContainerRuntime,
  { pod, listed: { sandboxes, containers } }: { pod: PodIdentity; listed: ListedPod },
  signal?: AbortSignal,
): Promise<ObservedPod> {
  const [sandboxStatuses, containerStatuses] = await Promise.all([
    Promise.all(sandboxes.map((sandbox) => readSandbox(runtime, sandbox, signal))),
    Promise.all(containers.map((container) => readContainer(runtime, container, signal))),
  ]);
  return {
    uid: pod.uid,
    name: pod.name,
    namespace: pod.namespace,
    sandboxes: newestFirst(sandboxStatuses),
    containers: newestFirst(containerStatuses),
  };
}

async function readSandbox(
  runtime: ContainerRuntime,
  sandbox: ListedPod["sandboxes"][number],
  signal?: AbortSignal,
): Promise<PodSandboxStatus | undefined> {
  return unlessGone(runtime.podSandboxStatus(sandbox.id, signal));
}

async function readContainer(
  runtime: ContainerRuntime,
  container: ListedPod["containers"][number],
  signal?: AbortSignal,
): Promise<ObservedContainer | undefined> {
  const status: CriContainerStatus | undefined = await unlessGone(runtime.containerStatus(container.id, signal));
  return status && { sandboxId: container.sandboxId, ...status };
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RuntimeError && error.reason === "notFound") return undefined;
    throw error;
  }
}

/**
 * Sorts by the attempt, which only grows; the creation time decreases when the node's wall clock is
 * set back.
 */
function newestFirst<T extends { createdAtMs: number; metadata: { attempt: number } }>(
  items: readonly (T | undefined)[],
): T[] {
  return items
    .filter((item) => item !== undefined)
    .sort((a, b) => b.metadata.attempt - a.metadata.attempt || b.createdAtMs - a.createdAtMs);
}
