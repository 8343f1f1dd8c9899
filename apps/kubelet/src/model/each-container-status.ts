import type { ContainerStatus, PodStatus } from "@kintsugi/api";

/** Returns the status with each container of every kind replaced by the result of `change`. */
export function withEachContainerStatus(
  status: PodStatus,
  change: (container: ContainerStatus) => ContainerStatus,
): PodStatus {
  const changed: PodStatus = { ...status };
  for (const kind of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const) {
    const containers = status[kind];
    if (containers) changed[kind] = containers.map(change);
  }
  return changed;
}
