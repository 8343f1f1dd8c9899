import { flag, option } from "@kintsugi/daemon";

export const nodeLifecycleOptions = {
  nodeMonitorGracePeriodMs: option(
    "node-monitor-grace-period",
    flag.durationMs({
      help: "Silence after which a node is Unknown",
      byProfile: (timers) => timers.nodeMonitorGracePeriodMs,
    }),
  ),
  nodeStartupGracePeriodMs: option(
    "node-startup-grace-period",
    flag.durationMs({
      help: "The same before a node's first report",
      byProfile: (timers) => timers.nodeStartupGracePeriodMs,
    }),
  ),
  nodeMonitorPeriodMs: option(
    "node-monitor-period",
    flag.durationMs({
      help: "Time between two looks at all nodes, and at the API server",
      byProfile: (timers) => timers.nodeMonitorPeriodMs,
    }),
  ),
  nodeEvictionRate: option(
    "node-eviction-rate",
    flag.number({
      help: "Nodes a second and zone that begin to be evicted",
      byProfile: (timers) => timers.nodeEvictionRate,
    }),
  ),
  secondaryNodeEvictionRate: option(
    "secondary-node-eviction-rate",
    flag.number({
      help: "The same in a large unhealthy zone",
      byProfile: (timers) => timers.secondaryNodeEvictionRate,
    }),
  ),
  unhealthyZoneThreshold: option(
    "unhealthy-zone-threshold",
    flag.number({
      max: 1,
      help: "Share of nodes that makes a zone unhealthy",
      byProfile: (timers) => timers.unhealthyZoneThreshold,
    }),
  ),
  largeClusterSizeThreshold: option(
    "large-cluster-size-threshold",
    flag.count({
      help: "Unhealthy zones up to this size stop",
      byProfile: (timers) => timers.largeClusterSizeThreshold,
    }),
  ),
  announceEvictionPauses: option(
    "announce-eviction-pauses",
    flag.boolean({
      help: "Ours: a condition and events of a node show that evictions are paused, and none begins while many other nodes are late",
      byProfile: (_, profile) => profile !== "kubernetes",
    }),
  ),
};
