import { type Container, type ContainerState, type ContainerStatus, formatTimestamp } from "@kintsugi/api";
import { type BoundPod, initContainersOf, isDeleting } from "../../model/bound-pod.ts";
import { currentLifeOf, type PodLife } from "../../model/pod-life.ts";
import { containerLost } from "../plan/next-attempt.ts";
import { shouldRestart } from "../../model/should-restart.ts";
import { containerIdText } from "../../model/labels.ts";
import { actuatedOf, type ResizeRecord } from "../../model/allocation.ts";
import { isRunning, nameOf, type ObservedContainer, type ObservedPod } from "../../model/observed-pod.ts";
import type { StartFailure } from "../../model/start-failure.ts";

export interface ContainerStatusInput {
  pod: BoundPod;
  observed: ObservedPod;
  /** The observed life of that pod. */
  life: PodLife;
  /** The last statuses of the same list. */
  previous: readonly ContainerStatus[];
  readonly failureOf: (containerName: string) => StartFailure | undefined;
  resizes: ResizeRecord;
}

/** `containerStatuses`: sorted by name, as upstream's. */
export function regularContainerStatuses(input: ContainerStatusInput): ContainerStatus[] {
  const waitingFor = initContainersOf(input.pod).length > 0 ? "PodInitializing" : "ContainerCreating";
  return containerStatuses(input, input.pod.spec.containers, waitingFor).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `initContainerStatuses`: in the order of the spec. */
export function initContainerStatuses(input: ContainerStatusInput): ContainerStatus[] {
  const containers = initContainersOf(input.pod);
  return containerStatuses(input, containers, "PodInitializing");
}

export function ephemeralContainerStatuses(input: ContainerStatusInput): ContainerStatus[] {
  const containers = input.pod.spec.ephemeralContainers ?? [];
  return containerStatuses(input, containers, "ContainerCreating").sort((a, b) => (a.name < b.name ? -1 : 1));
}

function containerStatuses(
  input: ContainerStatusInput,
  containers: readonly Container[],
  waitingFor: string,
): ContainerStatus[] {
  return containers.map((container) => {
    const previous = input.previous.find(({ name }) => name === container.name);
    const instances = input.observed.containers.filter((each) => nameOf(each) === container.name);
    const [newest] = instances;
    const status =
      newest !== undefined && !isForgotten(previous, newest)
        ? statusOfInstances(instances, previous)
        : statusWithoutInstance(input.pod, container, { previous, waitingFor });
    const said = withStartFailure(input, container, { newest: instances[0], status });
    return Object.assign(withoutResources(said), resourcesOfStatus(container, instances[0], input.resizes));
  });
}

/**
 * Reports whether the runtime has lost the newest reported instance, and still has an earlier
 * instance. The restart count must not fall in this case.
 */
function isForgotten(previous: ContainerStatus | undefined, newest: ObservedContainer): boolean {
  return previous !== undefined && previous.restartCount > newest.metadata.attempt;
}

function withoutResources({ resources, allocatedResources, ...status }: ContainerStatus): ContainerStatus {
  void [resources, allocatedResources];
  return status;
}

/**
 * Returns the allocated resources of the container, and the resources of its running instance;
 * empty for a container without resources.
 */
function resourcesOfStatus(
  container: Container,
  newest: ObservedContainer | undefined,
  record: ResizeRecord,
): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const granted = container.resources;
  if (!granted?.requests && !granted?.limits) return {};
  const given = newest && isRunning(newest) ? actuatedOf(newest, record) : undefined;
  const { requests = {}, limits = {} } = granted;
  const resources: NonNullable<ContainerStatus["resources"]> = {};
  if (granted.requests) resources.requests = { ...requests, ...given?.requests };
  if (granted.limits) resources.limits = { ...limits, ...given?.limits };
  return granted.requests ? { allocatedResources: requests, resources } : { resources };
}

/** The newest instance is the state, and the previous instance is the last state. */
function statusOfInstances(
  [newest, before]: readonly ObservedContainer[],
  previous: ContainerStatus | undefined,
): ContainerStatus {
  if (!newest) throw new RangeError("a container with instances has a newest instance");
  const lost = newest.state === "unknown" && previous?.state?.running !== undefined;
  return {
    name: nameOf(newest),
    state: lost
      ? { terminated: terminatedUnseen("The container could not be located when the pod was terminated") }
      : stateOf(newest),
    ...lastStateFrom(before, previous, newest),
    ready: false,
    restartCount: newest.metadata.attempt,
    image: newest.image,
    imageID: newest.imageRef,
    containerID: containerIdText(newest.id),
    started: false,
    ...(newest.user === undefined ? {} : { user: { linux: newest.user } }),
  };
}

/**
 * Only one previous instance is retained. After the runtime has removed it, its reported state
 * remains.
 */
function lastStateFrom(
  before: ObservedContainer | undefined,
  previous: ContainerStatus | undefined,
  newest: ObservedContainer,
): { lastState: ContainerState } {
  const isDirectlyBefore = before?.metadata.attempt === newest.metadata.attempt - 1;
  if (before && (isDirectlyBefore || !previous)) {
    const state = stateOf(before);
    return { lastState: state.terminated ? state : (previous?.lastState ?? {}) };
  }
  if (newest.metadata.attempt === 0 || !previous) return { lastState: {} };
  const isOfSameInstance = previous.containerID === containerIdText(newest.id);
  if (isOfSameInstance) return { lastState: previous.lastState ?? {} };
  return {
    lastState: previous.state?.terminated ? { terminated: previous.state.terminated } : (previous.lastState ?? {}),
  };
}

function statusWithoutInstance(
  pod: BoundPod,
  container: Pick<Container, "name" | "image">,
  { previous, waitingFor }: { previous: ContainerStatus | undefined; waitingFor: string },
): ContainerStatus {
  if (previous?.state?.terminated) return { ...previous, ready: false, started: false };
  const status: ContainerStatus = {
    name: container.name,
    state: { waiting: { reason: waitingFor } },
    lastState: previous?.lastState ?? {},
    ready: false,
    restartCount: previous?.restartCount ?? 0,
    image: container.image ?? "",
    imageID: "",
    started: false,
  };
  if (!previous?.state?.running) return status;
  // The container ran and no longer exists, so it certainly ended, but its exit code is unknown.
  const message = "The container could not be located when the pod was deleted.  The container used to be Running";
  return {
    ...status,
    lastState: { terminated: terminatedUnseen(message) },
    restartCount: previous.restartCount + (isDeleting(pod) ? 0 : 1),
  };
}

/** A container whose restart failed waits; its end moves to the last state. */
function withStartFailure(
  input: ContainerStatusInput,
  container: Container,
  { newest, status }: { newest: ObservedContainer | undefined; status: ContainerStatus },
): ContainerStatus {
  const failure = input.failureOf(status.name);
  if (!failure) return status;
  const init = initContainersOf(input.pod).some(
    ({ name, restartPolicy }) => name === status.name && restartPolicy !== "Always",
  );
  if (init && newest?.state === "exited" && newest.exitCode === 0) return status;
  const current = currentLifeOf(input.observed, input.life);
  if (!shouldRestart(input.pod, container, current)) return status;
  return {
    ...status,
    ...(status.state?.terminated ? { lastState: { terminated: status.state.terminated } } : {}),
    state: { waiting: { reason: failure.reason, message: failure.message } },
  };
}

function stateOf(container: ObservedContainer): ContainerState {
  switch (container.state) {
    case "running":
      return { running: { startedAt: formatTimestamp(container.startedAtMs) } };
    case "exited":
      return { terminated: terminatedFrom(container) };
    case "created":
    case "unknown":
      return { waiting: {} };
  }
}

function terminatedFrom(container: ObservedContainer): NonNullable<ContainerState["terminated"]> {
  return {
    exitCode: container.exitCode,
    reason: container.reason !== "" ? container.reason : container.exitCode === 0 ? "Completed" : "Error",
    ...(container.message === "" ? {} : { message: container.message }),
    startedAt: formatTimestamp(container.startedAtMs),
    finishedAt: formatTimestamp(container.finishedAtMs),
    containerID: containerIdText(container.id),
  };
}

function terminatedUnseen(message: string): NonNullable<ContainerState["terminated"]> {
  return { ...containerLost, message };
}
