import { isIPv4 } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { checkAddress, checkCidr, profileNames, profiles, type Taint } from "@kintsugi/api";
import {
  asMapping,
  type ConfiguredProgram,
  type FileForm,
  flag,
  FlagError,
  type FlagValues,
  inSeconds,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { z } from "zod";
import { kubeletDefaults, type KubeletOptions } from "./kubelet-options.ts";
import { kernelBootIdFile, type LinuxMachineOptions } from "./machine/kernel/linux-machine.ts";
import { resourceFlags, resourceOptions } from "./resource-flags.ts";

export interface KubeletConfig {
  logLevel: LogLevel;
  kubeconfig: string;
  runtimeEndpoint: string;
  runtimeRequestTimeoutMs: number;
  machine: LinuxMachineOptions;
  /** Undefined: tokens are not looked at. */
  tokenCacheTtlMs: number | undefined;
  manifestPath: string | undefined;
  server: { address: string; port: number; certFile: string; keyFile: string; clientCaFile: string };
  kubelet: KubeletOptions;
}

/** The file is upstream's kind; what upstream has only as flags stands in it under the flag's name in camelCase. */
const program: ConfiguredProgram = {
  name: "kubelet",
  description: "Runs the pods that are bound to this node, and tells the cluster how they and the node are.",
  file: { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" },
  reload:
    "It is read when the service starts, and not again (upstream's kubelet does the same): restart it, containers stay.",
};

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;
const byDefault = profiles.default;

const defaultRootDirectory = "/var/lib/kubelet";
const defaultMemoryDirectory = "/dev/shm/kintsugi-kubelet";

/** Upstream's list of objects in the file, "key=value:effect" on the command line. */
const asTaints: FileForm<readonly string[]> = {
  schema: z
    .array(z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(taintEffects) }))
    .transform((taints) => taints.map(({ key, value, effect }) => `${key}=${value ?? ""}:${effect}`)),
  write: (taints) => taints.map(parseTaint),
};

/** Upstream's flags, and a few of our own, which say so. Timers come from the profile unless they are given. */
const table = {
  kubeconfig: flag.path({
    help: "How to reach the API.",
    required: true,
    example: "/etc/kintsugi/kubelet.kubeconfig",
  }),
  "hostname-override": flag.text({ help: "The node's name.", fallback: hostname() }),
  "node-ip": flag.list({
    help: "The node's addresses; the first is its InternalIP.",
    required: true,
    key: "nodeIP",
    example: ["192.0.2.11"],
  }),
  "container-runtime-endpoint": flag.text({
    help: "The CRI socket.",
    fallback: "unix:///run/containerd/containerd.sock",
  }),
  "runtime-request-timeout": flag.durationMs({ help: "Longest wait for the runtime.", fallback: 120_000 }),
  "root-dir": flag.path({
    help: "Where the kubelet keeps its files.",
    placeholder: "directory",
    fallback: defaultRootDirectory,
  }),
  "pod-logs-dir": flag.path({
    placeholder: "directory",
    example: kubeletDefaults.podLogsDirectory,
    help: "Where containers' logs go (podLogsDir). Default: /var/log/pods; with another --root-dir, pod-logs below that.",
  }),
  "memory-dir": flag.path({
    help: "Ours: a directory on a tmpfs, for Secrets. Default: below /dev/shm.",
    placeholder: "directory",
    example: defaultMemoryDirectory,
  }),
  "pod-manifest-path": flag.path({
    help: "A directory (or a file) with manifests of pods that this node runs whatever the API says: static pods.",
    placeholder: "directory",
    key: "staticPodPath",
    example: "/etc/kubernetes/manifests",
  }),
  "file-check-frequency": flag.durationMs({
    help: "How often the manifests are read when no change of theirs is noticed.",
    fallback: kubeletDefaults.staticPods.periodMs,
  }),
  "pod-cidr": flag.text({
    help: "The addresses of this node's pods, if its network is set up for them; else the cluster gives the node some.",
    fallback: kubeletDefaults.podCidr,
    key: "podCIDR",
  }),
  address: flag.text({ help: "Where to serve.", fallback: "0.0.0.0" }),
  port: flag.port({ help: "Port to serve on.", fallback: kubeletDefaults.port }),
  "tls-cert-file": flag.path({
    help: "The server's certificate.",
    required: true,
    example: "/etc/kintsugi/pki/kubelet.crt",
  }),
  "tls-private-key-file": flag.path({ help: "Its key.", required: true, example: "/etc/kintsugi/pki/kubelet.key" }),
  "client-ca-file": flag.path({
    help: "Who signs the server's clients.",
    required: true,
    example: "/etc/kintsugi/pki/ca.crt",
    key: "authentication.x509.clientCAFile",
  }),
  "authentication-token-webhook": flag.boolean({
    help: "Clients may show tokens of the cluster in place of certificates.",
    fallback: true,
    key: "authentication.webhook.enabled",
  }),
  "authentication-token-webhook-cache-ttl": flag.durationMs({
    help: "How long the API's word on a token holds.",
    fallback: 120_000,
    key: "authentication.webhook.cacheTTL",
  }),
  "cgroup-root": flag.text({ help: "The cgroup below which pods run.", fallback: kubeletDefaults.cgroupRoot }),
  "machine-shared-by": flag.count({ min: 1, help: "Ours: how many nodes share this machine.", fallback: 1 }),
  "boot-id-file": flag.path({
    help: "Says which boot of the machine this is; another than before is told as the event Rebooted.",
    fallback: kernelBootIdFile,
  }),
  "max-pods": flag.count({ min: 1, help: "Pods at most.", fallback: kubeletDefaults.maxPods }),
  "node-labels": flag.list({
    help: "Labels of the Node: key=value.",
    form: asMapping,
    example: ["topology.kubernetes.io/zone=a"],
  }),
  "register-with-taints": flag.list({
    help: "Taints of a new Node: key=value:effect.",
    form: asTaints,
    example: ["dedicated=database:NoSchedule"],
  }),
  "cluster-dns": flag.list({
    help: "DNS servers of pods. Default: on a node with a proxy, which answers names there, --node-ip; else none.",
    key: "clusterDNS",
    example: ["192.0.2.11"],
  }),
  "resolv-conf": flag.path({
    help: "The resolver's configuration from which pods without cluster DNS get theirs.",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  "node-has-proxy": flag.boolean({
    help: "Ours: a proxy on this node leads to Services; else its pods are told the API server's own address.",
    fallback: kubeletDefaults.hasProxy,
  }),
  "cluster-domain": flag.text({ help: "The cluster's domain.", fallback: kubeletDefaults.clusterDomain }),
  "local-images": flag.boolean({
    help: "Ours: an image that was imported is used as it is, also with the pull policy Always, and never removed.",
    fallback: false,
  }),
  "serialize-image-pulls": flag.boolean({
    help: "Pull one image at a time; the profile kubernetes does unless the next says otherwise.",
    fallback: false,
  }),
  "max-parallel-image-pulls": flag.count({
    min: 1,
    help: "Images pulled at the same time.",
    example: kubeletDefaults.images.parallelPullsMax,
  }),
  profile: flag.choice(profileNames, { help: "Sets all timers together.", fallback: "default" }),
  "node-lease-duration": flag.durationMs({
    help: "How long the node's Lease holds.",
    key: "nodeLeaseDurationSeconds",
    form: inSeconds,
    example: byDefault.nodeLeaseDurationMs,
  }),
  "node-lease-renew-interval": flag.durationMs({
    help: "How often it is renewed.",
    example: byDefault.nodeLeaseRenewIntervalMs,
  }),
  "node-status-update-frequency": flag.durationMs({
    help: "How often the node's status is looked at.",
    example: byDefault.nodeStatusUpdateIntervalMs,
  }),
  "node-status-report-frequency": flag.durationMs({
    help: "How often an unchanged status is written.",
    example: byDefault.nodeStatusReportIntervalMs,
  }),
  "sync-frequency": flag.durationMs({ help: "How often a quiet pod is looked at.", fallback: 60_000 }),
  "crash-loop-initial-delay": flag.durationMs({
    help: "First delay of CrashLoopBackOff; the first restart is free.",
    key: "crashLoopBackOff.initialDelay",
    example: byDefault.crashLoopBackoffInitialMs,
  }),
  "crash-loop-max-delay": flag.durationMs({
    help: "Longest delay of CrashLoopBackOff.",
    key: "crashLoopBackOff.maxContainerRestartPeriod",
    example: byDefault.crashLoopBackoffMaxMs,
  }),
  "crash-loop-floor": flag.durationMs({
    help: "No pod may ask for a shorter delay by annotation.",
    fallback: 1000,
    key: "crashLoopBackOff.floor",
  }),
  "crash-loop-reset": flag.durationMs({
    help: "A container that ran this long starts its back-off afresh.",
    key: "crashLoopBackOff.reset",
    example: byDefault.crashLoopBackoffResetMs,
  }),
  ...resourceFlags,
  "pleg-relist-interval": flag.durationMs({ help: "Between listings without runtime events.", fallback: 1000 }),
  "log-level": flag.choice(logLevels, { help: "What is logged.", fallback: "info" }),
};

/** The documented configuration file. */
export const sample = (): string =>
  sampleFile(program, { ...table, "hostname-override": { ...table["hostname-override"], fallback: "node-1" } });

/** @throws FlagError with a sentence that says what is wrong. */
export function kubeletConfig(argv: readonly string[]): KubeletConfig {
  const flags = readFlags(program, table, argv);
  return {
    logLevel: flags["log-level"],
    kubeconfig: flags.kubeconfig,
    runtimeEndpoint: flags["container-runtime-endpoint"],
    runtimeRequestTimeoutMs: flags["runtime-request-timeout"],
    machine: {
      cgroupRoot: flags["cgroup-root"],
      rootDirectory: flags["root-dir"],
      sharedBy: flags["machine-shared-by"],
      resolvConf: flags["resolv-conf"],
      bootIdFile: flags["boot-id-file"],
    },
    tokenCacheTtlMs: flags["authentication-token-webhook"]
      ? flags["authentication-token-webhook-cache-ttl"]
      : undefined,
    manifestPath: flags["pod-manifest-path"],
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
    ...resourceOptions(flags),
    nodeName,
    hostname: nodeName,
    nodeIps: flags["node-ip"].map(checkedAddress),
    podCidr: checkedRange(flags["pod-cidr"]),
    port: flags.port,
    maxPods: flags["max-pods"],
    staticPods: { ...kubeletDefaults.staticPods, periodMs: flags["file-check-frequency"] },
    labels: Object.fromEntries((flags["node-labels"] ?? []).map((text) => pair("--node-labels", text))),
    taints: (flags["register-with-taints"] ?? []).map(parseTaint),
    rootDirectory: flags["root-dir"],
    podLogsDirectory: flags["pod-logs-dir"] ?? podLogsBeside(flags["root-dir"]),
    memoryDirectory: flags["memory-dir"] ?? defaultMemoryDirectory,
    cgroupRoot: flags["cgroup-root"],
    hasProxy: flags["node-has-proxy"],
    clusterDomain: flags["cluster-domain"],
    clusterDnsServers: flags["cluster-dns"] ?? (flags["node-has-proxy"] ? proxysAddress(flags["node-ip"]) : []),
    images: {
      ...kubeletDefaults.images,
      localImages: flags["local-images"],
      parallelPullsMax: parallelPullsMax(flags),
    },
  };
}

/** Where the proxy of this node answers names: at the first of the addresses that is IPv4's. */
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
function checkedRange(text: string): string {
  const [because] = text === "" ? [] : checkCidr(text);
  if (because !== undefined) throw new FlagError(`--pod-cidr ${JSON.stringify(text)}: ${because}`);
  return text;
}

/** @throws FlagError where upstream refuses too. */
function parallelPullsMax(flags: FlagValues<typeof table>): number {
  const serialized = flags["serialize-image-pulls"];
  const given = flags["max-parallel-image-pulls"];
  if (given !== undefined && given < 1)
    throw new FlagError(`--max-parallel-image-pulls must be at least 1, not ${given}`);
  if (serialized && given !== undefined && given !== 1) {
    throw new FlagError(`--max-parallel-image-pulls ${given} cannot be more than 1 with --serialize-image-pulls`);
  }
  const isOneByDefault = serialized || flags.profile === "kubernetes";
  return given ?? (isOneByDefault ? 1 : kubeletDefaults.images.parallelPullsMax);
}

/** Kubelets that share a machine must not share this directory: each removes what it does not know. */
function podLogsBeside(rootDirectory: string): string {
  return rootDirectory === defaultRootDirectory ? kubeletDefaults.podLogsDirectory : join(rootDirectory, "pod-logs");
}

function timersFrom(
  flags: FlagValues<typeof table>,
): Pick<KubeletOptions, "lease" | "nodeStatus" | "restartBackoff" | "workers" | "pleg"> {
  const profile = profiles[flags.profile];
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

function pair(flagName: string, text: string): [string, string] {
  const at = text.indexOf("=");
  if (at <= 0) throw new FlagError(`${flagName}: "${text}" is not key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
