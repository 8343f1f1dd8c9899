import type { Container, ContainerStatus, VolumeMount } from "@kintsugi/api";
import type { RuntimeHandler } from "@kintsugi/cri";

type Resolved = { isRecursive: boolean } | { refusal: string };

/** Whether the handler by which pods are run can mount read-only what lies below a mount too. */
export function canMountRecursively(handlers: readonly RuntimeHandler[]): boolean {
  return handlers.some(({ name, recursiveReadOnlyMounts }) => name === "" && recursiveReadOnlyMounts);
}

/** Whether a mount is read-only with all that is mounted below it (kubelet_pods.go resolveRecursiveReadOnly; KEP-3857). */
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

/** What is told of a container's mounts, which do not change while it is what it is (convertToAPIContainerStatuses). */
export function volumeMountStatuses(
  { volumeMounts = [] }: Pick<Container, "volumeMounts">,
  isSupported: boolean,
): Pick<ContainerStatus, "volumeMounts"> {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map((mount) => {
      const { name, mountPath, readOnly } = mount;
      if (readOnly !== true) return { name, mountPath };
      const resolved = resolveRecursiveReadOnly(mount, isSupported);
      const isRecursive = "isRecursive" in resolved && resolved.isRecursive;
      return { name, mountPath, readOnly, recursiveReadOnly: isRecursive ? "Enabled" : "Disabled" };
    }),
  };
}
