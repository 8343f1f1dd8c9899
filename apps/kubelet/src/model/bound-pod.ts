import { strict as assert } from "node:assert";
import {
  configAnnotations,
  type Container,
  type ContainerStatus,
  isMirrorPod,
  type ObjectMeta,
  type Pod,
  type PodSpec,
} from "@kintsugi/api";

/**
 * The path of a static pod's manifest. JSON has no symbols, so an object of the API cannot pose as
 * a static pod.
 */
export const manifestPath = Symbol("manifest path");

/** A pod as a kubelet receives it: bound to its node, so that its identity and its spec are set. */
export type BoundPod = Pod & {
  metadata: ObjectMeta & { uid: string; name: string; namespace: string };
  spec: PodSpec;
  readonly [manifestPath]?: string;
};

/**
 * @throws AssertionError when the API server sent a pod without identity or spec, which the API
 * server never does.
 */
export function boundPod(pod: Pod): BoundPod {
  const { uid, name, namespace } = pod.metadata;
  assert(uid !== undefined && name !== undefined && namespace !== undefined, "a pod has a uid, a name and a namespace");
  assert(pod.spec !== undefined, `pod ${namespace}/${name} has a spec`);
  return pod as BoundPod;
}

/** True where the node runs it from a manifest of its own, independently of the API. */
export function isStaticPod(pod: BoundPod): boolean {
  return pod[manifestPath] !== undefined;
}

/**
 * Compares full name and manifest, because an annotation is not sufficient when the API has many
 * writers.
 */
export function isMirrorOf(mirror: Pod, pod: Pick<BoundPod, "metadata">): boolean {
  return (
    isMirrorPod(mirror) &&
    fullNameOf(mirror) === fullNameOf(pod) &&
    mirror.metadata.annotations?.[configAnnotations.mirror] === pod.metadata.uid
  );
}

/** `<namespace>/<name>`, the identity of a node's pods where their uids do not matter. */
export function fullNameOf({ metadata }: Pick<Pod, "metadata">): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** `name_namespace(uid)`, as upstream's messages name a pod. */
export function formatPod(pod: BoundPod): string {
  return `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
}

export function restartPolicyOf(pod: BoundPod): "Always" | "OnFailure" | "Never" {
  return pod.spec.restartPolicy ?? "Always";
}

export function initContainersOf(pod: BoundPod): readonly Container[] {
  return pod.spec.initContainers ?? [];
}

/**
 * Init containers and regular containers, in the order in which they start; their names are unique
 * together.
 */
export function containersOf(pod: BoundPod): readonly Container[] {
  return [...initContainersOf(pod), ...pod.spec.containers];
}

/** Returns the statuses of containers of all three sorts; their names are unique together. */
export function containerStatusesOf({ status }: Pick<Pod, "status">): readonly ContainerStatus[] {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
}

/** A sidecar: an init container that continues to run next to the other containers. */
export function isRestartableInit(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** Succeeded and Failed are final. */
export function isTerminalPhase(phase: string | undefined): boolean {
  return phase === "Succeeded" || phase === "Failed";
}

/** True where the kubelet has ended the pod to protect the node. */
export function wasEvicted({ status }: Pick<Pod, "status">): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}

/** Returns the field to which an event about a container points: `spec.containers{name}`. */
export function containerFieldPath(pod: BoundPod, containerName: string): string {
  const init = initContainersOf(pod).some(({ name }) => name === containerName);
  return `spec.${init ? "initContainers" : "containers"}{${containerName}}`;
}

/** True where the pod is removed from the API, or is being deleted. */
export function isDeleting(pod: BoundPod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}
