import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { isAbsolute, join } from "node:path";
import { checkAddress, checkCidr, profileNames, type Taint } from "@kintsugi/api";
import {
  asMapping,
  featureConfig,
  featureFlags,
  type FileForm,
  flag,
  flagDefaults,
  FlagError,
  type FlagValues,
  inSeconds,
} from "@kintsugi/daemon";
import { z } from "zod";
import type { HousekeepingOptions } from "./node/cleanup/housekeeping.ts";
import type { ImageKeeperOptions } from "./containers/images/image-keeper.ts";
import type { PlegOptions } from "./runtime/observation/pleg.ts";
import type { RestartBackoffOptions } from "./pods/plan/restart-backoff.ts";
import type { StaticPodsOptions } from "./pods/static/static-pods.ts";
import type { PodWorkersOptions } from "./pods/work/pod-workers.ts";

import { resourceFlags, type ResourceOptions, resourceOptions } from "./resource-flags.ts";

/** Upstream's timeout of a call to a volume driver (csi_plugin.go csiTimeout). */
export const csiTimeoutMs = 120_000;
/** Upstream's timeout of a call to a device driver (dra/plugin defaultClientCallTimeout). */
export const devicesTimeoutMs = 45_000;

export interface KubeletOptions extends ResourceOptions {
  nodeName: string;
  hostname: string;
  /** The kubelet's version in the Node: "v1.33.1+kintsugi". */
  version: string;
  /** The first address is the node's InternalIP. */
  nodeIps: readonly string[];
  /**
   * The addresses of this node's pods, if its network is already set up for them. Default "": the
   * cluster assigns them.
   */
  podCidr: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  /**
   * A cloud controller manager initializes the Node and reports its addresses. Default false: the
   * kubelet reports them itself.
   */
  externalCloud: boolean;
  maxPods: number;
  /** The port of the kubelet's own server, which the Node reports. */
  port: number;
  rootDirectory: string;
  podLogsDirectory: string;
  memoryDirectory: string;
  /**
   * Directories of CDI specifications; a later directory takes precedence over an earlier
   * directory.
   */
  cdiDirectories: readonly string[];
  cgroupRoot: string;
  /**
   * True where a proxy on this node serves the addresses of Services. Default true; when false,
   * pods get the address of the API server itself.
   */
  hasProxy: boolean;
  clusterDomain: string;
  clusterDnsServers: readonly string[];
  lease: { durationMs: number; renewIntervalMs: number; gracePeriodMs: number };
  nodeStatus: { updateIntervalMs: number; reportIntervalMs: number };
  restartBackoff: RestartBackoffOptions;
  images: ImageKeeperOptions;
  pleg: PlegOptions;
  workers: PodWorkersOptions;
  housekeeping: HousekeepingOptions;
  /** The interval at which manifests are read, and the time that their pods wait for an API. */
  staticPods: Omit<StaticPodsOptions, "nodeName">;
  /**
   * Limit of sandboxes and containers that are started concurrently. Default 8, because with more
   * the runtime gets slower instead of faster.
   */
  startsInFlightMax: number;
}

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const defaultRootDirectory = "/var/lib/kubelet";
const defaultPodLogsDirectory = "/var/log/pods";
const defaultMemoryDirectory = "/dev/shm/kintsugi-kubelet";
/** The directories are CDI's defaults, in CDI's order. */
const defaultCdiDirectories = ["/etc/cdi", "/var/run/cdi"];
const parallelPullsDefault = 5;

/** Values that no flag changes. */
const fixed = {
  images: { initialMs: 10_000, maxMs: 300_000 },
  pleg: { relistIntervalWithEventsMs: 60_000, relistThresholdMs: 180_000 },
  workers: { errorBackoffMs: 10_000 },
  housekeeping: { periodMs: 2000, directoryPeriodMs: 60_000 },
  staticPods: { apiWaitMs: 2000 },
  startsInFlightMax: 8,
};

/** The file has upstream's list of objects, and the command line has "key=value:effect". */
const asTaints: FileForm<readonly string[]> = {
  schema: z
    .array(z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(taintEffects) }))
    .transform((taints) => taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`)),
  write: (taints) => taints.map(parseTaint),
};

/**
 * Upstream's flags, and a few of Kintsugi's own, which are marked. Each has its default, which
 * depends on the profile for timers.
 */
export const kubeletFlags = {
  "hostname-override": flag.text({ help: "Name of the node", fallback: hostname() }),
  "node-ip": flag.list({
    help: "Addresses of the node; the first is its InternalIP",
    required: true,
    key: "nodeIP",
    example: ["192.0.2.11"],
  }),
  "root-dir": flag.path({
    help: "Directory of the kubelet's files",
    placeholder: "directory",
    fallback: defaultRootDirectory,
  }),
  "pod-logs-dir": flag.path({
    placeholder: "directory",
    example: defaultPodLogsDirectory,
    help: "Directory of the containers' logs (podLogsDir; default: /var/log/pods, or pod-logs below another --root-dir)",
  }),
  "memory-dir": flag.path({
    help: "Kintsugi's own: directory on a tmpfs for Secrets (default: below /dev/shm)",
    placeholder: "directory",
    example: defaultMemoryDirectory,
  }),
  "cdi-spec-dirs": flag.list({
    help: "Kintsugi's own: directories of CDI specifications, read if the runtime does not apply CDI (default: /etc/cdi,/var/run/cdi)",
    example: defaultCdiDirectories,
  }),
  "file-check-frequency": flag.durationMs({
    help: "Interval at which manifests are read without a notification of a change",
    fallback: 20_000,
  }),
  "pod-cidr": flag.text({
    help: "Address range of this node's pods, if its network is configured for one (default: allocated by the cluster)",
    fallback: "",
    key: "podCIDR",
  }),
  port: flag.port({ help: "Port to serve on", fallback: 10250 }),
  "cgroup-root": flag.text({ help: "Parent cgroup of all pods", fallback: "" }),
  "max-pods": flag.count({ min: 1, help: "Largest number of pods", fallback: 110 }),
  "node-labels": flag.list({
    help: "Labels of the Node, as key=value",
    form: asMapping,
    example: ["topology.kubernetes.io/zone=a"],
  }),
  "register-with-taints": flag.list({
    help: "Taints of a new Node, as key=value:effect",
    form: asTaints,
    example: ["dedicated=database:NoSchedule"],
  }),
  "cloud-provider": flag.choice(["", "external"], {
    help: "external: a cloud controller manager initializes this node (default: the kubelet itself)",
    fallback: "",
  }),
  "cluster-dns": flag.list({
    help: "DNS servers of pods (default: --node-ip on a node with a proxy, which serves DNS there; otherwise none)",
    key: "clusterDNS",
    example: ["192.0.2.11"],
  }),
  "node-has-proxy": flag.boolean({
    help: "Kintsugi's own: a proxy on this node serves Services; otherwise its pods receive the API server's own address",
    fallback: true,
  }),
  "cluster-domain": flag.text({ help: "Domain of the cluster's names", fallback: "cluster.local" }),
  "local-images": flag.boolean({
    help: "Kintsugi's own: use an imported image even with the pull policy Always, and never remove it",
    fallback: false,
  }),
  "serialize-image-pulls": flag.boolean({
    help: "Pull one image at a time (default: true in the profile kubernetes, unless --max-parallel-image-pulls is set)",
    fallback: false,
  }),
  "max-parallel-image-pulls": flag.count({
    min: 1,
    help: "Images that are pulled at the same time",
    example: parallelPullsDefault,
  }),
  ...featureFlags,
  profile: flag.choice(profileNames, { help: "Profile that sets the defaults of all timers", fallback: "default" }),
  "node-lease-duration": flag.durationMs({
    help: "Duration of the node's Lease",
    key: "nodeLeaseDurationSeconds",
    form: inSeconds,
    byProfile: (timers) => timers.nodeLeaseDurationMs,
  }),
  "node-lease-renew-interval": flag.durationMs({
    help: "Interval at which the node's Lease is renewed",
    byProfile: (timers) => timers.nodeLeaseRenewIntervalMs,
  }),
  "node-monitor-grace-period": flag.durationMs({
    help: "Kintsugi's own: silence after which the cluster considers this node lost; the same value as the controller-manager's",
    byProfile: (timers) => timers.nodeMonitorGracePeriodMs,
  }),
  "node-status-update-frequency": flag.durationMs({
    help: "Interval at which the node's status is computed",
    byProfile: (timers) => timers.nodeStatusUpdateIntervalMs,
  }),
  "node-status-report-frequency": flag.durationMs({
    help: "Interval at which an unchanged status is written",
    byProfile: (timers) => timers.nodeStatusReportIntervalMs,
  }),
  "sync-frequency": flag.durationMs({
    help: "Interval at which a pod without changes is synchronized",
    fallback: 60_000,
  }),
  "crash-loop-initial-delay": flag.durationMs({
    help: "First delay of CrashLoopBackOff; the first restart is not delayed",
    key: "crashLoopBackOff.initialDelay",
    byProfile: (timers) => timers.crashLoopBackoffInitialMs,
  }),
  "crash-loop-max-delay": flag.durationMs({
    help: "Longest delay of CrashLoopBackOff",
    key: "crashLoopBackOff.maxContainerRestartPeriod",
    byProfile: (timers) => timers.crashLoopBackoffMaxMs,
  }),
  "crash-loop-floor": flag.durationMs({
    help: "Shortest delay that a pod may request by annotation",
    fallback: 1000,
    key: "crashLoopBackOff.floor",
  }),
  "crash-loop-reset": flag.durationMs({
    help: "Run time of a container after which its back-off is reset",
    key: "crashLoopBackOff.reset",
    byProfile: (timers) => timers.crashLoopBackoffResetMs,
  }),
  "pleg-relist-interval": flag.durationMs({
    help: "Interval between two listings of the runtime's containers while its event stream is down",
    fallback: 1000,
  }),
  ...resourceFlags,
};

/**
 * Returns the options of these flags.
 * @throws FlagError with a sentence that names the fault.
 */
export function kubeletOptions(flags: FlagValues<typeof kubeletFlags>): KubeletOptions {
  const nodeName = flags["hostname-override"].toLowerCase();
  return {
    ...fixed,
    ...resourceOptions(flags),
    nodeName,
    hostname: nodeName,
    version: featureConfig(flags).gitVersion,
    nodeIps: flags["node-ip"].map(checkedAddress),
    podCidr: checkedRange(flags["pod-cidr"]),
    port: flags.port,
    maxPods: flags["max-pods"],
    externalCloud: flags["cloud-provider"] === "external",
    staticPods: { ...fixed.staticPods, periodMs: flags["file-check-frequency"] },
    labels: Object.fromEntries((flags["node-labels"] ?? []).map((text) => pair("--node-labels", text))),
    taints: (flags["register-with-taints"] ?? []).map(parseTaint),
    rootDirectory: flags["root-dir"],
    podLogsDirectory: flags["pod-logs-dir"] ?? podLogsBeside(flags["root-dir"]),
    memoryDirectory: flags["memory-dir"] ?? defaultMemoryDirectory,
    cdiDirectories: (flags["cdi-spec-dirs"] ?? defaultCdiDirectories).map(checkedDirectory),
    cgroupRoot: flags["cgroup-root"],
    hasProxy: flags["node-has-proxy"],
    clusterDomain: flags["cluster-domain"],
    clusterDnsServers: flags["cluster-dns"] ?? (flags["node-has-proxy"] ? proxysAddress(flags["node-ip"]) : []),
    lease: {
      durationMs: flags["node-lease-duration"],
      renewIntervalMs: flags["node-lease-renew-interval"],
      gracePeriodMs: flags["node-monitor-grace-period"],
    },
    nodeStatus: {
      updateIntervalMs: flags["node-status-update-frequency"],
      reportIntervalMs: flags["node-status-report-frequency"],
    },
    restartBackoff: {
      initialMs: flags["crash-loop-initial-delay"],
      maxMs: flags["crash-loop-max-delay"],
      floorMs: flags["crash-loop-floor"],
      resetMs: flags["crash-loop-reset"],
    },
    images: { ...fixed.images, localImages: flags["local-images"], parallelPullsMax: parallelPullsMax(flags) },
    pleg: { ...fixed.pleg, relistIntervalMs: flags["pleg-relist-interval"] },
    workers: { ...fixed.workers, resyncIntervalMs: flags["sync-frequency"] },
  };
}

/** The names of a node and its directories have no defaults. */
const identity = ["nodeName", "hostname", "nodeIps", "rootDirectory", "memoryDirectory"] as const;

/** The default options of a node. */
export const kubeletDefaults = Object.fromEntries(
  Object.entries(kubeletOptions({ ...flagDefaults(kubeletFlags), "node-ip": [] })).filter(
    ([name]) => !identity.some((each) => each === name),
  ),
) as unknown as Omit<KubeletOptions, (typeof identity)[number]>;

/**
 * Returns the address at which the proxy of this node answers DNS queries: the first IPv4 address
 * of the node.
 */
function proxysAddress(nodeIps: readonly string[]): readonly string[] {
  return nodeIps.filter(isIPv4).slice(0, 1);
}

/** @throws FlagError */
function checkedAddress(text: string): string {
  const [because] = checkAddress(text);
  if (because !== undefined) throw new FlagError(`--node-ip ${JSON.stringify(text)}: ${because}`);
  return text;
}

/** @throws FlagError */
function checkedDirectory(path: string): string {
  if (!isAbsolute(path)) throw new FlagError(`--cdi-spec-dirs ${JSON.stringify(path)} must be an absolute path.`);
  return path;
}

/** @throws FlagError */
function checkedRange(text: string): string {
  const [because] = text === "" ? [] : checkCidr(text);
  if (because !== undefined) throw new FlagError(`--pod-cidr ${JSON.stringify(text)}: ${because}`);
  return text;
}

/** @throws FlagError where upstream also rejects the value. */
function parallelPullsMax(flags: FlagValues<typeof kubeletFlags>): number {
  const serialized = flags["serialize-image-pulls"];
  const given = flags["max-parallel-image-pulls"];
  if (given !== undefined && given < 1)
    throw new FlagError(`--max-parallel-image-pulls must be at least 1, not ${given}`);
  if (serialized && given !== undefined && given !== 1) {
    throw new FlagError(`--max-parallel-image-pulls ${given} cannot be more than 1 with --serialize-image-pulls`);
  }
  const isOneByDefault = serialized || flags.profile === "kubernetes";
  return given ?? (isOneByDefault ? 1 : parallelPullsDefault);
}

/**
 * Kubelets that share a machine must not share this directory, because each removes directories
 * that are not in its own list.
 */
function podLogsBeside(rootDirectory: string): string {
  return rootDirectory === defaultRootDirectory ? defaultPodLogsDirectory : join(rootDirectory, "pod-logs");
}

/** "key=value:effect", or "key:effect". */
function parseTaint(text: string): Taint {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) {
    throw new FlagError(`--register-with-taints: "${text}" is not key=value:effect`);
  }
  return { key, ...(value ? { value } : {}), effect: effect as Taint["effect"] };
}

function pair(flagName: string, text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new FlagError(`${flagName}: "${text}" is not key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
