import { type Container, type ResourceRequirements, sameJson } from "@kintsugi/api";
import { forgetOldest } from "../base/forget-oldest.ts";
import { type BoundPod, containersOf, initContainersOf, isRestartableInit } from "./bound-pod.ts";
import { annotationNames, containerHash } from "./labels.ts";
import { findContainer, isRunning, type ObservedContainer, type ObservedPod } from "./observed-pod.ts";

// What a container may use, at three moments (KEP-1287):
//
//   desired    in the pod's spec; `kubectl patch --subresource resize` changes it
//   allocated  what this node has granted: the spec as it was when the pod was admitted, or a later one that fits
//   actuated   what the running instance was given, at its creation or in place since
//
// desired ≠ allocated is the condition PodResizePending, allocated ≠ actuated is
// PodResizeInProgress.

/** Requests and limits of cpu and memory: all that can change while a container runs. */
export type Resources = Pick<ResourceRequirements, "requests" | "limits">;

/** What this kubelet remembers of a pod that was resized; all others need no memory. */
export interface ResizeRecord {
  /** By container name. */
  readonly allocated: Readonly<Record<string, Resources>>;
  /** By container id, where it differs from what the container was created with. */
  readonly actuated: Readonly<Record<string, Resources>>;
}

export const nothingResized: ResizeRecord = { allocated: {}, actuated: {} };

/** The pod with the resources that it has been granted in place of those that are asked for. */
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

/** Whether the granted pod is what is asked for. */
export function isAsAsked(granted: BoundPod, pod: BoundPod): boolean {
  return sameJson(resourcesByName(granted), resourcesByName(pod));
}

/** What every container that can be resized has in this spec. */
export function resourcesByName(pod: BoundPod): Record<string, Resources> {
  const resizable = containersOf(pod).filter((container) => isResizable(pod, container));
  return Object.fromEntries(resizable.map((container) => [container.name, resourcesOf(container)]));
}

export type ContainerResize = { kind: "restart" } | { kind: "update"; resources: Resources };

/**
 * How a running container gets what it has been granted; undefined when it has it
 * (computePodResizeAction).
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

/** Whether some running container has not been given yet what the pod was granted. */
export function isResizing(granted: BoundPod, observed: ObservedPod, record: ResizeRecord): boolean {
  return containersOf(granted).some((container) => {
    const newest = findContainer(observed, container.name);
    if (!newest || !isRunning(newest) || !isResizable(granted, container)) return false;
    return planContainerResize(container, newest, record) !== undefined;
  });
}

/**
 * What a running instance has; undefined of one that was made by a kubelet that did not write it
 * down.
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

/** As it stands in the annotation of a container. */
export function resourcesText(container: Pick<Container, "resources">): string {
  return JSON.stringify(resourcesOf(container));
}

function createdWith(instance: ObservedContainer | undefined): Resources | undefined {
  const text = instance?.annotations[annotationNames.resources];
  return text === undefined ? undefined : parsedResources(text);
}

/**
 * More than there are sorts of containers on a node; each sync of a pod reads those of its own five
 * times.
 */
const textsMax = 256;
const parsed = new Map<string, Resources>();

function parsedResources(text: string): Resources {
  let resources = parsed.get(text);
  if (resources === undefined) {
    resources = JSON.parse(text) as Resources;
    parsed.set(text, resources);
    forgetOldest(parsed, textsMax);
  }
  return resources;
}

/** Of what is neither cpu nor memory, nothing changes. */
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
 * Whether an instance was made of the image and the resources that the container has now. Upstream
 * keeps back-off by these (GetBackoffKey): another image may be the cure, so it does not wait for
 * the failures of the one before.
 */
export function sharesBackoff(container: Container, { annotations }: ObservedContainer): boolean {
  const { [annotationNames.hash]: hash, [annotationNames.resources]: resources } = annotations;
  if (hash !== undefined && hash !== containerHash(container)) return false;
  // A kubelet of an earlier version did not write down the resources.
  return resources === undefined || resources === resourcesText(container);
}
