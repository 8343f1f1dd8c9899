import { type ProfileName, profiles } from "@kintsugi/api";
import { allowedValue, flag, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";
import { type ControllerManagerOptions, defaultControllerManagerOptions as defaults } from "./options.ts";

/** The command line of the controller-manager, completed. */
export interface ControllerManagerConfig {
  kubeconfig: string;
  bindAddress: string;
  securePort: number;
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  clientCaFile: string;
  leaderElection: LeaderElectionConfig | undefined;
  controllers: ControllerManagerOptions;
  logLevel: LogLevel;
}

interface LeaderElectionConfig {
  namespace: string;
  name: string;
  leaseDurationMs: number;
  renewDeadlineMs: number;
  retryPeriodMs: number;
}

const program = {
  name: "controller-manager",
  description: "Runs the controllers: node lifecycle, taint eviction, replica sets, garbage collection, namespaces.",
};

const pdbPolicies = ["ignore", "respect"] as const;

const flags = {
  kubeconfig: flag.text({ help: "Where the API server is and as whom to speak to it", required: true }),
  "bind-address": flag.text({ help: "Address to serve health and metrics on", fallback: "0.0.0.0" }),
  "secure-port": flag.number({ help: "Port to serve health and metrics on", fallback: 10257 }),
  "tls-cert-file": flag.text({ help: "Certificate to serve with, PEM", required: true }),
  "tls-private-key-file": flag.text({ help: "Its key, PEM", required: true }),
  "client-ca-file": flag.text({ help: "Certificate authority that signs who may read metrics, PEM", required: true }),
  "leader-elect": flag.boolean({ help: "Work only while holding the Lease", fallback: true }),
  "leader-elect-lease-duration": flag.durationMs({ help: "Silence after which others take over (default by profile)" }),
  "leader-elect-renew-deadline": flag.durationMs({
    help: "A leader that cannot renew this long stops (default by profile)",
  }),
  "leader-elect-retry-period": flag.durationMs({ help: "Time between tries (default by profile)" }),
  "leader-elect-resource-namespace": flag.text({ help: "Namespace of the Lease", fallback: "kube-system" }),
  "leader-elect-resource-name": flag.text({ help: "Name of the Lease", fallback: "kube-controller-manager" }),
  "node-monitor-grace-period": flag.durationMs({ help: "Silence after which a node is Unknown (default by profile)" }),
  "node-startup-grace-period": flag.durationMs({ help: "The same before a node's first report (default by profile)" }),
  "node-monitor-period": flag.durationMs({ help: "How often all nodes are looked at (default by profile)" }),
  "node-eviction-rate": flag.number({ help: "Nodes a second and zone that begin to be evicted (default by profile)" }),
  "secondary-node-eviction-rate": flag.number({ help: "The same in a large unhealthy zone (default by profile)" }),
  "unhealthy-zone-threshold": flag.number({ help: "Share of nodes that makes a zone unhealthy (default by profile)" }),
  "large-cluster-size-threshold": flag.number({ help: "Unhealthy zones up to this size stop (default by profile)" }),
  "eviction-pdb-policy": flag.text({
    help: "Whether taint eviction heeds PodDisruptionBudgets: ignore or respect (default by profile)",
  }),
  "pod-gc-quarantine": flag.durationMs({ help: "How long a node is missing before its pods go (default by profile)" }),
  "pod-gc-period": flag.durationMs({ help: "How often pods are collected (default by profile)" }),
  "terminated-pod-gc-threshold": flag.number({
    help: "Ended pods beyond this number are deleted; 0 keeps all",
    fallback: defaults.terminatedPodGcThreshold,
  }),
  "concurrent-replicaset-syncs": flag.number({
    help: "Replica sets worked on at the same time",
    fallback: defaults.concurrentReplicaSetSyncs,
  }),
  "concurrent-gc-syncs": flag.number({
    help: "Objects garbage-collected at the same time",
    fallback: defaults.concurrentGcSyncs,
  }),
  "concurrent-namespace-syncs": flag.number({
    help: "Namespaces emptied at the same time",
    fallback: defaults.concurrentNamespaceSyncs,
  }),
  profile: flag.text({ help: "Timers set together: default, kubernetes or fast", fallback: "default" }),
  "log-level": flag.text({ help: `One of ${logLevels.join(", ")}`, fallback: "info" }),
} as const;

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ControllerManagerConfig {
  const given = readFlags(program, flags, argv);
  const profileName = allowedValue(given.profile, Object.keys(profiles) as ProfileName[], "profile");
  const profile = profiles[profileName];
  return {
    kubeconfig: given.kubeconfig,
    bindAddress: given["bind-address"],
    securePort: given["secure-port"],
    tlsCertFile: given["tls-cert-file"],
    tlsPrivateKeyFile: given["tls-private-key-file"],
    clientCaFile: given["client-ca-file"],
    leaderElection: given["leader-elect"]
      ? {
          namespace: given["leader-elect-resource-namespace"],
          name: given["leader-elect-resource-name"],
          leaseDurationMs: given["leader-elect-lease-duration"] ?? profile.leaderElectionLeaseMs,
          renewDeadlineMs: given["leader-elect-renew-deadline"] ?? profile.leaderElectionRenewDeadlineMs,
          retryPeriodMs: given["leader-elect-retry-period"] ?? profile.leaderElectionRetryMs,
        }
      : undefined,
    controllers: {
      nodeMonitorGracePeriodMs: given["node-monitor-grace-period"] ?? profile.nodeMonitorGracePeriodMs,
      nodeStartupGracePeriodMs: given["node-startup-grace-period"] ?? profile.nodeStartupGracePeriodMs,
      nodeMonitorPeriodMs: given["node-monitor-period"] ?? profile.nodeMonitorPeriodMs,
      nodeEvictionRate: given["node-eviction-rate"] ?? profile.nodeEvictionRate,
      secondaryNodeEvictionRate: given["secondary-node-eviction-rate"] ?? profile.secondaryNodeEvictionRate,
      unhealthyZoneThreshold: given["unhealthy-zone-threshold"] ?? profile.unhealthyZoneThreshold,
      largeClusterSizeThreshold: given["large-cluster-size-threshold"] ?? profile.largeClusterSizeThreshold,
      announceEvictionPauses: profileName !== "kubernetes",
      evictionPdbPolicy: allowedValue(
        given["eviction-pdb-policy"] ?? profile.evictionPdbPolicy,
        pdbPolicies,
        "eviction-pdb-policy",
      ),
      podGcQuarantineMs: given["pod-gc-quarantine"] ?? profile.podGcQuarantineMs,
      podGcPeriodMs: given["pod-gc-period"] ?? profile.podGcPeriodMs,
      terminatedPodGcThreshold: given["terminated-pod-gc-threshold"],
      concurrentReplicaSetSyncs: given["concurrent-replicaset-syncs"],
      concurrentGcSyncs: given["concurrent-gc-syncs"],
      concurrentNamespaceSyncs: given["concurrent-namespace-syncs"],
    },
    logLevel: allowedValue(given["log-level"], logLevels, "log-level"),
  };
}
