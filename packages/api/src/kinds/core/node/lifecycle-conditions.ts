/**
 * Conditions of a node's maintenance, by KEP-5683 (alpha in Kubernetes 1.37). Administrators and
 * their tools set them. Controllers do not act on them, and a kubelet preserves them.
 */
export const nodeLifecycleConditions = {
  drainInProgress: "DrainInProgress",
  drained: "Drained",
  maintenancePlanned: "MaintenancePlanned",
  maintenanceInProgress: "MaintenanceInProgress",
} as const;
