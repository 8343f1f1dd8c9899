import { type Container, parseForeignJson, type ResourceRequirements, sameJson } from "@kintsugi/api";
import { forgetOldest } from "@kintsugi/clock";
import { type BoundPod, containersOf, initContainersOf, isRestartableInit } from "./bound-pod.ts";
import { annotationNames, containerHash } from "./labels.ts";
import { findContainer, isRunning, type ObservedContainer, type ObservedPod } from "./observed-pod.ts";

// A container's resources in three stages (KEP-1287):
//
//   desired    in the pod's spec; `kubectl patch --subresource resize` changes it
//   allocated  granted by this node: the spec as admitted, or a later spec
//              that fits
//   actuated   applied to the running instance, at its creation or in place since
//
// The condition PodResizePending means desired ≠ allocated, PodResizeInProgress means allocated ≠
// actuated.

/** Requests and limits of cpu and memory, which are all that can change while a container runs. */
export type Resources = Pick<ResourceRequirements, "requests" | "limits">;

/** This kubelet's record of a resized pod; other pods have no record. */
export interface ResizeRecord {
  /** The allocated resources by container name. */
  readonly allocated: Readonly<Record<string, Resources>>;
  /**
   * The actuated resources by container id, where they differ from the resources at the container's
   * creation.
   */
  readonly actuated: Readonly<Record<string, Resources>>;
}

export const nothingResized: ResizeRecord = { allocated: {}, actuated: {} };

/** Returns the pod with its allocated resources instead of the desired resources. */
export function allocatedPod(pod: BoundPod, observed: ObservedPod, record: ResizeRecord): BoundPod {
  const grant = (container: Container): Container => {
    const allocated = record.allocated[container.name] ?? createdWith(findContainer(observed, container.name));
    return allocated === undefined || !isResizable(pod, container) ? container : withResources(container, allocated);
  };
  const containers = pod.spec.containers.map(grant);
  const initContainers = pod.spec.initContainers?.map(grant);
  const same = (a: readonly Container[] = [], b: readonly Container[] = []) => a.every((each, i) => each === b[i]);
  if (same(containers, pod.spec.containers) && same(initContainers, pod.spec.initContainers)) return pod;
  return { ...pod, spec: { ...pod.spec, containers, ...(initContainers ? { initContainers } : {}) } };
}

/** Reports whether the allocated resources are the desired resources. */
export function isAsAsked(granted: BoundPod, pod: BoundPod): boolean {
  return sameJson(resourcesByName(granted), resourcesByName(pod));
}

/** Returns the resources, in this spec, of every container that can be resized. */
export function resourcesByName(pod: BoundPod): Record<string, Resources> {
  const resizable = containersOf(pod).filter((container) => isResizable(pod, container));
  return Object.fromEntries(resizable.map((container) => [container.name, resourcesOf(container)]));
}

export type ContainerResize = { kind: "restart" } | { kind: "update"; resources: Resources };

/**
 * Plans the change of a running container to its allocated resources; undefined when the container
 * has these resources (computePodResizeAction).
 */
export function planContainerResize(
  container: Container,
  running: ObservedContainer,
  record: ResizeRecord,
): ContainerResize | undefined {
  const actuated = actuatedOf(running, record);
  const granted = resourcesOf(container);
  if (actuated === undefined || sameJson(actuated, granted)) return undefined;
  const changed = (["cpu", "memory"] as const).filter(
    (name) =>
      actuated.requests?.[name] !== granted.requests?.[name] || actuated.limits?.[name] !== granted.limits?.[name],
  );
  const restarts = changed.some((name) =>
    container.resizePolicy?.some(
      ({ resourceName, restartPolicy }) => resourceName === name && restartPolicy === "RestartContainer",
    ),
  );
  return restarts ? { kind: "restart" } : { kind: "update", resources: granted };
}

/** Reports whether any running container does not have its allocated resources yet. */
export function isResizing(granted: BoundPod, observed: ObservedPod, record: ResizeRecord): boolean {
  return containersOf(granted).some((container) => {
    const newest = findContainer(observed, container.name);
    if (!newest || !isRunning(newest) || !isResizable(granted, container)) return false;
    return planContainerResize(container, newest, record) !== undefined;
  });
}

/**
 * Returns the resources of a running instance; undefined if it was created by a kubelet that did
 * not record them.
 */
export function actuatedOf(running: ObservedContainer, record: ResizeRecord): Resources | undefined {
  return record.actuated[running.id] ?? createdWith(running);
}

function resourcesOf({ resources }: Pick<Container, "resources">): Resources {
  const { requests, limits } = resources ?? {};
  return {
    ...(requests ? { requests: ofCpuAndMemory(requests) } : {}),
    ...(limits ? { limits: ofCpuAndMemory(limits) } : {}),
  };
}

/** Writes the resources without changes for a container's annotation. */
export function resourcesText(container: Pick<Container, "resources">): string {
  return JSON.stringify(resourcesOf(container));
}

function createdWith(instance: ObservedContainer | undefined): Resources | undefined {
  const text = instance?.annotations[annotationNames.resources];
  return text === undefined ? undefined : parsedResources(text);
}

/**
 * Limit of cached strings, above the number of different containers on a node. Each sync of a pod
 * reads the strings of its own containers five times.
 */
const textsMax = 256;
const parsed = new Map<string, Resources>();

function parsedResources(text: string): Resources {
  let resources = parsed.get(text);
  if (resources === undefined) {
    resources = parseForeignJson(text) as Resources;
    parsed.set(text, resources);
    forgetOldest(parsed, textsMax);
  }
  return resources;
}

/** Only cpu and memory change; other resources are unchanged. */
function withResources(container: Container, granted: Resources): Container {
  if (sameJson(resourcesOf(container), granted)) return container;
  const { claims } = container.resources ?? {};
  const resources: ResourceRequirements = claims ? { claims } : {};
  for (const list of ["requests", "limits"] as const) {
    const asked = Object.entries(container.resources?.[list] ?? {});
    const others = asked.filter(([name]) => name !== "cpu" && name !== "memory");
    const amounts = { ...Object.fromEntries(others), ...granted[list] };
    if (Object.keys(amounts).length > 0) resources[list] = amounts;
  }
  return { ...container, resources };
}

function isResizable(pod: BoundPod, container: Container): boolean {
  return !initContainersOf(pod).includes(container) || isRestartableInit(container);
}

function ofCpuAndMemory(amounts: Readonly<Record<string, string>>): Record<string, string> {
  const { cpu, memory } = amounts;
  return { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) };
}

/**
 * Reports whether an instance was created from the container's current image and resources.
 * Upstream's back-off key contains these (GetBackoffKey). A new image may be the fix, so it does
 * not wait for the failures of the previous image.
 */
export function sharesBackoff(container: Container, { annotations }: ObservedContainer): boolean {
  const { [annotationNames.hash]: hash, [annotationNames.resources]: resources } = annotations;
  if (hash !== undefined && hash !== containerHash(container)) return false;
  // A kubelet of an earlier version did not record the resources.
  return resources === undefined || resources === resourcesText(container);
}
