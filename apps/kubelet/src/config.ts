import { hostname } from "node:os";
import { join } from "node:path";
import { cpuMillicores, memoryBytes, type ProfileName, profiles, type Taint } from "@kintsugi/api";
import { flag, FlagError, type FlagValues, type LogLevel, logLevels, readFlags } from "@kintsugi/daemon";
import { kubeletDefaults, type KubeletOptions } from "./kubelet-options.ts";

export interface KubeletConfig {
  logLevel: LogLevel;
  kubeconfig: string;
  runtimeEndpoint: string;
  runtimeRequestTimeoutMs: number;
  cgroupRoot: string;
  machineSharedBy: number;
  server: { address: string; port: number; certFile: string; keyFile: string; clientCaFile: string };
  kubelet: KubeletOptions;
}

const program = {
  name: "kubelet",
  description: "Runs the pods that are bound to this node, and tells the cluster how they and the node are.",
};

const defaultRootDirectory = "/var/lib/kubelet";

/** Upstream's flags, and a few of our own, which say so. Timers come from the profile unless they are given. */
const table = {
  kubeconfig: flag.text({ help: "How to reach the API.", placeholder: "file", required: true }),
  "hostname-override": flag.text({ help: "The node's name.", fallback: hostname() }),
  "node-ip": flag.list({ help: "The node's addresses; the first is its InternalIP.", required: true }),
  "container-runtime-endpoint": flag.text({
    help: "The CRI socket.",
    fallback: "unix:///run/containerd/containerd.sock",
  }),
  "runtime-request-timeout": flag.durationMs({ help: "Longest wait for the runtime.", fallback: 120_000 }),
  "root-dir": flag.text({ help: "Where the kubelet keeps its files.", fallback: defaultRootDirectory }),
  "pod-logs-dir": flag.text({
    help: "Where containers' logs go (podLogsDir). Default: /var/log/pods; with another --root-dir, pod-logs below that.",
  }),
  "memory-dir": flag.text({ help: "Ours: a directory on a tmpfs, for Secrets. Default: below /dev/shm." }),
  "pod-cidr": flag.text({ help: "The addresses of this node's pods.", fallback: kubeletDefaults.podCidr }),
  address: flag.text({ help: "Where to serve.", fallback: "0.0.0.0" }),
  port: flag.number({ help: "Port to serve on.", fallback: kubeletDefaults.port }),
  "tls-cert-file": flag.text({ help: "The server's certificate.", placeholder: "file", required: true }),
  "tls-private-key-file": flag.text({ help: "Its key.", placeholder: "file", required: true }),
  "client-ca-file": flag.text({ help: "Who signs the server's clients.", placeholder: "file", required: true }),
  "cgroup-root": flag.text({ help: "The cgroup below which pods run.", fallback: kubeletDefaults.cgroupRoot }),
  "machine-shared-by": flag.number({ help: "Ours: how many nodes share this machine.", fallback: 1 }),
  "max-pods": flag.number({ help: "Pods at most.", fallback: kubeletDefaults.maxPods }),
  "system-reserved": flag.list({ help: "What the node keeps for itself: cpu=100m,memory=200Mi." }),
  "node-labels": flag.list({ help: "Labels of the Node: key=value." }),
  "register-with-taints": flag.list({ help: "Taints of a new Node: key=value:effect." }),
  "cluster-dns": flag.list({ help: "DNS servers of pods." }),
  "cluster-domain": flag.text({ help: "The cluster's domain.", fallback: kubeletDefaults.clusterDomain }),
  "local-images": flag.boolean({
    help: "Ours: an image that is on the node is used as it is, also with the pull policy Always.",
    fallback: false,
  }),
  profile: flag.text({ help: "default, kubernetes or fast: sets all timers together.", fallback: "default" }),
  "node-lease-duration": flag.durationMs({ help: "How long the node's Lease holds." }),
  "node-lease-renew-interval": flag.durationMs({ help: "How often it is renewed." }),
  "node-status-update-frequency": flag.durationMs({ help: "How often the node's status is looked at." }),
  "node-status-report-frequency": flag.durationMs({ help: "How often an unchanged status is written." }),
  "sync-frequency": flag.durationMs({ help: "How often a quiet pod is looked at.", fallback: 60_000 }),
  "crash-loop-initial-delay": flag.durationMs({ help: "First delay of CrashLoopBackOff; the first restart is free." }),
  "crash-loop-max-delay": flag.durationMs({ help: "Longest delay of CrashLoopBackOff." }),
  "crash-loop-floor": flag.durationMs({ help: "No pod may ask for a shorter delay by annotation.", fallback: 1000 }),
  "crash-loop-reset": flag.durationMs({ help: "A container that ran this long starts its back-off afresh." }),
  "pleg-relist-interval": flag.durationMs({ help: "Between listings without runtime events.", fallback: 1000 }),
  "log-level": flag.text({ help: logLevels.join(", "), fallback: "info" }),
};

/** @throws FlagError with a sentence that says what is wrong. */
export function kubeletConfig(argv: readonly string[]): KubeletConfig {
  const flags = readFlags(program, table, argv);
  if (!logLevels.includes(flags["log-level"] as LogLevel)) {
    throw new FlagError(`--log-level ${flags["log-level"]} is none of ${logLevels.join(", ")}`);
  }
  return {
    logLevel: flags["log-level"] as LogLevel,
    kubeconfig: flags.kubeconfig,
    runtimeEndpoint: flags["container-runtime-endpoint"],
    runtimeRequestTimeoutMs: flags["runtime-request-timeout"],
    cgroupRoot: flags["cgroup-root"],
    machineSharedBy: flags["machine-shared-by"],
    server: {
      address: flags.address,
      port: flags.port,
      certFile: flags["tls-cert-file"],
      keyFile: flags["tls-private-key-file"],
      clientCaFile: flags["client-ca-file"],
    },
    kubelet: optionsFrom(flags),
  };
}

function optionsFrom(flags: FlagValues<typeof table>): KubeletOptions {
  const nodeName = flags["hostname-override"].toLowerCase();
  return {
    ...kubeletDefaults,
    ...timersFrom(flags),
    nodeName,
    hostname: nodeName,
    nodeIps: flags["node-ip"],
    podCidr: flags["pod-cidr"],
    port: flags.port,
    maxPods: flags["max-pods"],
    labels: Object.fromEntries((flags["node-labels"] ?? []).map((text) => pair("--node-labels", text))),
    taints: (flags["register-with-taints"] ?? []).map(parseTaint),
    reserved: parseReserved(flags["system-reserved"] ?? []),
    rootDirectory: flags["root-dir"],
    podLogsDirectory: flags["pod-logs-dir"] ?? podLogsBeside(flags["root-dir"]),
    memoryDirectory: flags["memory-dir"] ?? "/dev/shm/kintsugi-kubelet",
    cgroupRoot: flags["cgroup-root"],
    clusterDomain: flags["cluster-domain"],
    clusterDnsServers: flags["cluster-dns"] ?? [],
    images: { ...kubeletDefaults.images, localImages: flags["local-images"] },
  };
}

/** Kubelets that share a machine must not share this directory: each removes what it does not know. */
function podLogsBeside(rootDirectory: string): string {
  return rootDirectory === defaultRootDirectory ? kubeletDefaults.podLogsDirectory : join(rootDirectory, "pod-logs");
}

function timersFrom(
  flags: FlagValues<typeof table>,
): Pick<KubeletOptions, "lease" | "nodeStatus" | "restartBackoff" | "workers" | "pleg"> {
  const profile = profiles[flags.profile as ProfileName];
  if (!profile) throw new FlagError(`--profile ${flags.profile} is none of ${Object.keys(profiles).join(", ")}`);
  return {
    lease: {
      durationMs: flags["node-lease-duration"] ?? profile.nodeLeaseDurationMs,
      renewIntervalMs: flags["node-lease-renew-interval"] ?? profile.nodeLeaseRenewIntervalMs,
    },
    nodeStatus: {
      updateIntervalMs: flags["node-status-update-frequency"] ?? profile.nodeStatusUpdateIntervalMs,
      reportIntervalMs: flags["node-status-report-frequency"] ?? profile.nodeStatusReportIntervalMs,
    },
    restartBackoff: {
      initialMs: flags["crash-loop-initial-delay"] ?? profile.crashLoopBackoffInitialMs,
      maxMs: flags["crash-loop-max-delay"] ?? profile.crashLoopBackoffMaxMs,
      floorMs: flags["crash-loop-floor"],
      resetMs: flags["crash-loop-reset"] ?? profile.crashLoopBackoffResetMs,
    },
    workers: { ...kubeletDefaults.workers, resyncIntervalMs: flags["sync-frequency"] },
    pleg: { ...kubeletDefaults.pleg, relistIntervalMs: flags["pleg-relist-interval"] },
  };
}

/** "key=value:effect", or "key:effect". */
function parseTaint(text: string): Taint {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(text) ?? [];
  if (key === undefined || effect === undefined) {
    throw new FlagError(`--register-with-taints: "${text}" is not key=value:effect`);
  }
  return { key, ...(value ? { value } : {}), effect: effect as Taint["effect"] };
}

function parseReserved(entries: readonly string[]): KubeletOptions["reserved"] {
  const amounts = new Map(entries.map((text) => pair("--system-reserved", text)));
  return { cpuMillicores: cpuMillicores(amounts.get("cpu")), memoryBytes: memoryBytes(amounts.get("memory")) };
}

function pair(flagName: string, text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new FlagError(`${flagName}: "${text}" is not key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
