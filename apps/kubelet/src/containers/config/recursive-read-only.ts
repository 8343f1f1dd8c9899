import type { Container, ContainerStatus, PodStatus, VolumeMount } from "@kintsugi/api";
import type { RuntimeHandler } from "@kintsugi/cri";
import { type BoundPod, containersOf, containerStatusesOf } from "../../model/bound-pod.ts";
import { withEachContainerStatus } from "../../model/each-container-status.ts";

type Resolved = { isRecursive: boolean } | { refusal: string };

/** Reports whether the handler of pods can also make mounts below a mount read-only. */
export function canMountRecursively(handlers: readonly RuntimeHandler[]): boolean {
  return handlers.some(({ name, recursiveReadOnlyMounts }) => name === "" && recursiveReadOnlyMounts);
}

/**
 * Decides whether a mount is read-only with all mounts below it (kubelet_pods.go
 * resolveRecursiveReadOnly; KEP-3857).
 */
export function resolveRecursiveReadOnly(mount: VolumeMount, isSupported: boolean): Resolved {
  const { name, recursiveReadOnly = "Disabled", mountPropagation = "None" } = mount;
  if (recursiveReadOnly === "Disabled") return { isRecursive: false };
  const refusal = (because: string) => ({
    refusal: `volume "${name}" requested recursive read-only mode, but ${because}`,
  });
  if (mount.readOnly !== true) return refusal("it is not read-only");
  if (mountPropagation !== "None") return refusal(`it is not compatible with propagation "${mountPropagation}"`);
  if (recursiveReadOnly === "Enabled" && !isSupported) return refusal("it is not supported by the runtime");
  return { isRecursive: isSupported };
}

/**
 * Returns the status with each container's mounts; earlier reports of mounts are unchanged
 * (convertToAPIContainerStatuses). The status of a pod without mounts is returned unchanged.
 */
export function withVolumeMounts(
  status: PodStatus,
  { pod, previous, isSupported }: { pod: BoundPod; previous: PodStatus; isSupported: boolean },
): PodStatus {
  const containers: readonly Pick<Container, "name" | "volumeMounts">[] = [
    ...containersOf(pod),
    ...(pod.spec.ephemeralContainers ?? []),
  ];
  const mounting = containers.filter(({ volumeMounts = [] }) => volumeMounts.length > 0);
  if (mounting.length === 0) return status;
  const told = containerStatusesOf({ status: previous });
  const withMounts = (container: ContainerStatus): ContainerStatus => {
    const spec = mounting.find(({ name }) => name === container.name);
    if (!spec) return container;
    const before = told.find(({ name }) => name === container.name)?.volumeMounts;
    return { ...container, volumeMounts: before ?? volumeMountStatuses(spec.volumeMounts ?? [], isSupported) };
  };
  return withEachContainerStatus(status, withMounts);
}

/** The mounts do not change during a container's life. */
function volumeMountStatuses(
  volumeMounts: readonly VolumeMount[],
  isSupported: boolean,
): NonNullable<ContainerStatus["volumeMounts"]> {
  return volumeMounts.map((mount) => {
    const { name, mountPath, readOnly } = mount;
    if (readOnly !== true) return { name, mountPath };
    const resolved = resolveRecursiveReadOnly(mount, isSupported);
    const isRecursive = "isRecursive" in resolved && resolved.isRecursive;
    return { name, mountPath, readOnly, recursiveReadOnly: isRecursive ? "Enabled" : "Disabled" };
  });
}
