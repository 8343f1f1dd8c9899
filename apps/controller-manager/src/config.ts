import { type Ipv4Range, parseIpv4Range, profileNames, profiles } from "@kintsugi/api";
import {
  type ConfiguredProgram,
  flag,
  FlagError,
  type LogLevel,
  logLevels,
  type HealthServerOptions,
  healthServerConfig,
  healthServerFlags,
  type LeaderElectionConfig,
  leaderElectionConfig,
  leaderElectionFlags,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { occupiedRanges } from "./controllers/node-ipam/plan.ts";
import { type ControllerManagerOptions, defaultControllerManagerOptions as defaults } from "./options.ts";

/** The command line of the controller-manager, completed. */
export interface ControllerManagerConfig {
  kubeconfig: string;
  health: HealthServerOptions;
  leaderElection: LeaderElectionConfig | undefined;
  rootCaFile: string | undefined;
  controllers: Omit<ControllerManagerOptions, "rootCa">;
  signing: { certFile: string; keyFile: string; validMs: number } | undefined;
  logLevel: LogLevel;
}

/** Upstream reads no file here, so the kind is ours; each setting has its flag's name in camelCase. */
const program: ConfiguredProgram = {
  name: "controller-manager",
  description: "Runs the controllers: node lifecycle, taint eviction, replica sets, garbage collection, namespaces.",
  file: { apiVersion: "kintsugi.dev/v1alpha1", kind: "ControllerManagerConfiguration" },
};

const pdbPolicies = ["ignore", "respect"] as const;

const byDefault = profiles.default;

const flags = {
  kubeconfig: flag.path({
    help: "Where the API server is and as whom to speak to it",
    required: true,
    example: "/etc/kintsugi/controller-manager.kubeconfig",
  }),
  ...healthServerFlags({ name: "controller-manager", port: 10257 }),
  ...leaderElectionFlags("kube-controller-manager"),
  "node-monitor-grace-period": flag.durationMs({
    help: "Silence after which a node is Unknown (default by profile)",
    example: byDefault.nodeMonitorGracePeriodMs,
  }),
  "node-startup-grace-period": flag.durationMs({
    help: "The same before a node's first report (default by profile)",
    example: byDefault.nodeStartupGracePeriodMs,
  }),
  "node-monitor-period": flag.durationMs({
    help: "How often all nodes are looked at (default by profile)",
    example: byDefault.nodeMonitorPeriodMs,
  }),
  "node-eviction-rate": flag.number({
    help: "Nodes a second and zone that begin to be evicted (default by profile)",
    example: byDefault.nodeEvictionRate,
  }),
  "secondary-node-eviction-rate": flag.number({
    help: "The same in a large unhealthy zone (default by profile)",
    example: byDefault.secondaryNodeEvictionRate,
  }),
  "unhealthy-zone-threshold": flag.number({
    max: 1,
    help: "Share of nodes that makes a zone unhealthy (default by profile)",
    example: byDefault.unhealthyZoneThreshold,
  }),
  "large-cluster-size-threshold": flag.count({
    help: "Unhealthy zones up to this size stop (default by profile)",
    example: byDefault.largeClusterSizeThreshold,
  }),
  "eviction-pdb-policy": flag.choice(pdbPolicies, {
    help: "Whether taint eviction heeds PodDisruptionBudgets (default by profile)",
    example: byDefault.evictionPdbPolicy,
  }),
  "pod-gc-quarantine": flag.durationMs({
    help: "How long a node is missing before its pods go (default by profile)",
    example: byDefault.podGcQuarantineMs,
  }),
  "pod-gc-period": flag.durationMs({
    help: "How often pods are collected (default by profile)",
    example: byDefault.podGcPeriodMs,
  }),
  "terminated-pod-gc-threshold": flag.count({
    help: "Ended pods beyond this number are deleted; 0 keeps all",
    fallback: defaults.terminatedPodGcThreshold,
  }),
  "concurrent-deployment-syncs": flag.count({
    min: 1,
    help: "Deployments worked on at the same time",
    fallback: defaults.concurrentDeploymentSyncs,
  }),
  "concurrent-replicaset-syncs": flag.count({
    min: 1,
    help: "Replica sets worked on at the same time",
    fallback: defaults.concurrentReplicaSetSyncs,
  }),
  "concurrent-gc-syncs": flag.count({
    min: 1,
    help: "Objects garbage-collected at the same time",
    fallback: defaults.concurrentGcSyncs,
  }),
  "concurrent-namespace-syncs": flag.count({
    min: 1,
    help: "Namespaces emptied at the same time",
    fallback: defaults.concurrentNamespaceSyncs,
  }),
  "concurrent-endpoint-syncs": flag.count({
    min: 1,
    help: "Services whose Endpoints are worked on at the same time",
    fallback: defaults.concurrentEndpointSyncs,
  }),
  "endpoint-updates-batch-period": flag.durationMs({
    help: "How long changes of pods are gathered before Endpoints are written",
    fallback: defaults.endpointUpdatesBatchPeriodMs,
  }),
  "concurrent-service-endpoint-syncs": flag.count({
    min: 1,
    max: 50,
    help: "Services whose EndpointSlices are worked on at the same time",
    fallback: defaults.concurrentServiceEndpointSyncs,
  }),
  "max-endpoints-per-slice": flag.count({
    min: 1,
    max: 1000,
    help: "Endpoints that one EndpointSlice may have",
    fallback: defaults.maxEndpointsPerSlice,
  }),
  "endpointslice-updates-batch-period": flag.durationMs({
    help: "How long changes of pods are gathered before EndpointSlices are written",
    fallback: defaults.endpointsliceUpdatesBatchPeriodMs,
  }),
  "allocate-node-cidrs": flag.boolean({
    help: "Whether nodes get the ranges of their pods from --cluster-cidr; else each kubelet has to be told its own",
    fallback: false,
    key: "allocateNodeCIDRs",
  }),
  "cluster-cidr": flag.text({
    help: "The addresses of all pods, IPv4",
    example: "10.200.128.0/17",
    key: "clusterCIDR",
  }),
  "node-cidr-mask-size": flag.count({
    min: 8,
    max: 30,
    help: "How many bits of --cluster-cidr each node's range has",
    fallback: 24,
    key: "nodeCIDRMaskSize",
  }),
  "node-cidr-reserved": flag.list({
    help: "Parts of --cluster-cidr that are given to no node: those of nodes that are told their own, and of machines",
    fallback: [],
    example: ["10.200.128.0/20"],
    key: "nodeCIDRReserved",
  }),
  "service-cluster-ip-range": flag.text({
    help: "The addresses of Services, as the API server has them: no node gets them for its pods",
    example: "10.96.0.0/16",
    key: "serviceClusterIPRange",
  }),
  "root-ca-file": flag.path({
    help: "Certificate authority that signs the API server, PEM, given to pods with their tokens",
    example: "/etc/kintsugi/pki/ca.crt",
    key: "rootCAFile",
  }),
  "cluster-signing-cert-file": flag.path({
    help: "Authority that signs the certificates of kubelets, PEM; without it machines cannot join by themselves",
    example: "/etc/kintsugi/pki/ca.crt",
  }),
  "cluster-signing-key-file": flag.path({ help: "Its key, PEM", example: "/etc/kintsugi/pki/ca.key" }),
  "cluster-signing-duration": flag.durationMs({
    help: "How long the certificates hold that are signed",
    fallback: 365 * 24 * 3_600_000,
  }),
  profile: flag.choice(profileNames, { help: "Timers set together", fallback: "default" }),
  "log-level": flag.choice(logLevels, { help: "What is logged", fallback: "info" }),
} as const;

/** The documented configuration file. */
export const sample = (): string => sampleFile(program, flags);

/** @throws FlagError, HelpRequested. */
export function readConfig(argv: readonly string[]): ControllerManagerConfig {
  const given = readFlags(program, flags, argv);
  const profile = profiles[given.profile];
  return {
    kubeconfig: given.kubeconfig,
    health: healthServerConfig(given),
    leaderElection: leaderElectionConfig(given, given.profile),
    rootCaFile: given["root-ca-file"],
    controllers: {
      nodeMonitorGracePeriodMs: given["node-monitor-grace-period"] ?? profile.nodeMonitorGracePeriodMs,
      nodeStartupGracePeriodMs: given["node-startup-grace-period"] ?? profile.nodeStartupGracePeriodMs,
      nodeMonitorPeriodMs: given["node-monitor-period"] ?? profile.nodeMonitorPeriodMs,
      nodeEvictionRate: given["node-eviction-rate"] ?? profile.nodeEvictionRate,
      secondaryNodeEvictionRate: given["secondary-node-eviction-rate"] ?? profile.secondaryNodeEvictionRate,
      unhealthyZoneThreshold: given["unhealthy-zone-threshold"] ?? profile.unhealthyZoneThreshold,
      largeClusterSizeThreshold: given["large-cluster-size-threshold"] ?? profile.largeClusterSizeThreshold,
      announceEvictionPauses: given.profile !== "kubernetes",
      evictionPdbPolicy: given["eviction-pdb-policy"] ?? profile.evictionPdbPolicy,
      podGcQuarantineMs: given["pod-gc-quarantine"] ?? profile.podGcQuarantineMs,
      podGcPeriodMs: given["pod-gc-period"] ?? profile.podGcPeriodMs,
      terminatedPodGcThreshold: given["terminated-pod-gc-threshold"],
      concurrentDeploymentSyncs: given["concurrent-deployment-syncs"],
      concurrentReplicaSetSyncs: given["concurrent-replicaset-syncs"],
      concurrentGcSyncs: given["concurrent-gc-syncs"],
      concurrentNamespaceSyncs: given["concurrent-namespace-syncs"],
      concurrentEndpointSyncs: given["concurrent-endpoint-syncs"],
      endpointUpdatesBatchPeriodMs: given["endpoint-updates-batch-period"],
      concurrentServiceEndpointSyncs: given["concurrent-service-endpoint-syncs"],
      maxEndpointsPerSlice: given["max-endpoints-per-slice"],
      endpointsliceUpdatesBatchPeriodMs: given["endpointslice-updates-batch-period"],
      nodeIpam: nodeIpamConfig(given),
    },
    signing: signingConfig(given),
    logLevel: given["log-level"],
  };
}

function nodeIpamConfig(given: ReturnType<typeof readFlags<typeof flags>>): ControllerManagerOptions["nodeIpam"] {
  if (!given["allocate-node-cidrs"]) return undefined;
  const clusterCidr = given["cluster-cidr"];
  if (clusterCidr === undefined) throw new FlagError("--allocate-node-cidrs needs --cluster-cidr");
  const services = given["service-cluster-ip-range"];
  const options = {
    clusterCidr: rangeOf("--cluster-cidr", clusterCidr),
    nodeCidrMaskSize: given["node-cidr-mask-size"],
    reserved: given["node-cidr-reserved"].map((range) => rangeOf("--node-cidr-reserved", range)),
    serviceCidr: services === undefined ? undefined : rangeOf("--service-cluster-ip-range", services),
  };
  refusingRanges("--node-cidr-mask-size", () => occupiedRanges(options, [], []));
  return options;
}

function rangeOf(name: string, text: string): Ipv4Range {
  return refusingRanges(name, () => parseIpv4Range(text));
}

function refusingRanges<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new FlagError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

function signingConfig(given: ReturnType<typeof readFlags<typeof flags>>): ControllerManagerConfig["signing"] {
  const [certFile, keyFile] = [given["cluster-signing-cert-file"], given["cluster-signing-key-file"]];
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined)
    throw new FlagError("--cluster-signing-cert-file and --cluster-signing-key-file go together");
  return { certFile, keyFile, validMs: given["cluster-signing-duration"] };
}
