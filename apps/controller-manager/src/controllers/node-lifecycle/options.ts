import { flag, option } from "@kintsugi/daemon";

export const nodeLifecycleOptions = {
  nodeMonitorGracePeriodMs: option(
    "node-monitor-grace-period",
    flag.durationMs({
      help: "Time without a heartbeat after which a node's condition becomes Unknown",
      byProfile: (timers) => timers.nodeMonitorGracePeriodMs,
    }),
  ),
  nodeStartupGracePeriodMs: option(
    "node-startup-grace-period",
    flag.durationMs({
      help: "Time without a first heartbeat after which a new node's condition becomes Unknown",
      byProfile: (timers) => timers.nodeStartupGracePeriodMs,
    }),
  ),
  nodeMonitorPeriodMs: option(
    "node-monitor-period",
    flag.durationMs({
      help: "Interval between two checks of all nodes and of the API server",
      byProfile: (timers) => timers.nodeMonitorPeriodMs,
    }),
  ),
  nodeEvictionRate: option(
    "node-eviction-rate",
    flag.number({
      help: "Nodes per second and zone whose pods begin to be evicted",
      byProfile: (timers) => timers.nodeEvictionRate,
    }),
  ),
  secondaryNodeEvictionRate: option(
    "secondary-node-eviction-rate",
    flag.number({
      help: "Nodes per second whose pods begin to be evicted in a large unhealthy zone",
      byProfile: (timers) => timers.secondaryNodeEvictionRate,
    }),
  ),
  unhealthyZoneThreshold: option(
    "unhealthy-zone-threshold",
    flag.number({
      max: 1,
      help: "Share of not ready nodes from which a zone is unhealthy",
      byProfile: (timers) => timers.unhealthyZoneThreshold,
    }),
  ),
  largeClusterSizeThreshold: option(
    "large-cluster-size-threshold",
    flag.count({
      help: "Size in nodes up to which an unhealthy zone has no evictions",
      byProfile: (timers) => timers.largeClusterSizeThreshold,
    }),
  ),
  announceEvictionPauses: option(
    "announce-eviction-pauses",
    flag.boolean({
      help: "Kintsugi's own: report paused evictions by a condition and events of the node, and do not begin evictions while many other nodes are late",
      byProfile: (_, profile) => profile !== "kubernetes",
    }),
  ),
};
