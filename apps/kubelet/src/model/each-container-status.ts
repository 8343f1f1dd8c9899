import type { ContainerStatus, PodStatus } from "@kintsugi/api";

/** The status with each container of whichever kind as `change` has it. */
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
