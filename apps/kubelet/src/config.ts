import { join } from "node:path";
import {
  type ConfiguredProgram,
  type FeatureConfig,
  featureConfig,
  flag,
  type LogLevel,
  logLevels,
  readFlags,
  sampleFile,
} from "@kintsugi/daemon";
import { kubeletFlags, type KubeletOptions, kubeletOptions } from "./kubelet-options.ts";
import { kernelBootIdFile, type LinuxMachineOptions } from "./machine/kernel/linux-machine.ts";

export interface KubeletConfig {
  logLevel: LogLevel;
  features: FeatureConfig["features"];
  kubeconfig: string;
  runtimeEndpoint: string;
  runtimeRequestTimeoutMs: number;
  machine: LinuxMachineOptions;
  /** Undefined: tokens are not inspected. */
  tokenCacheTtlMs: number | undefined;
  manifestPath: string | undefined;
  pluginRegistrationDirectory: string;
  server: { address: string; port: number; certFile: string; keyFile: string; clientCaFile: string };
  kubelet: KubeletOptions;
}

/**
 * The file is upstream's kind; settings that upstream has only as flags are in it under the flag's
 * name in camelCase.
 */
const program: ConfiguredProgram = {
  name: "kubelet",
  description: "Runs the pods that are bound to this node, and reports their status and the node's.",
  file: { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" },
  reload:
    "The kubelet reads it at its start only, as upstream's does: restart it after a change, containers keep running",
};

/** The flags of the process and of its machine; those of the kubelet are in kubelet-options.ts. */
const table = {
  kubeconfig: flag.path({
    help: "Kubeconfig with the API server's address and the client's credentials",
    required: true,
    example: "/etc/kintsugi/kubelet.kubeconfig",
  }),
  "container-runtime-endpoint": flag.text({
    help: "Path of the CRI socket",
    fallback: "unix:///run/containerd/containerd.sock",
  }),
  "runtime-request-timeout": flag.durationMs({ help: "Timeout of a call to the container runtime", fallback: 120_000 }),
  "pod-manifest-path": flag.path({
    help: "Directory or file with the manifests of static pods, which run independently of the API",
    placeholder: "directory",
    key: "staticPodPath",
    example: "/etc/kubernetes/manifests",
  }),
  "plugin-registration-dir": flag.path({
    help: "Ours: directory of the sockets by which plugins register (default: plugins_registry in the root directory)",
    placeholder: "directory",
    example: "/var/lib/kubelet/plugins_registry",
  }),
  address: flag.text({ help: "Address to serve on", fallback: "0.0.0.0" }),
  "tls-cert-file": flag.path({
    help: "Server certificate, PEM",
    required: true,
    example: "/etc/kintsugi/pki/kubelet.crt",
  }),
  "tls-private-key-file": flag.path({
    help: "Private key of the certificate, PEM",
    required: true,
    example: "/etc/kintsugi/pki/kubelet.key",
  }),
  "client-ca-file": flag.path({
    help: "Certificate authority of the server's clients, PEM",
    required: true,
    example: "/etc/kintsugi/pki/ca.crt",
    key: "authentication.x509.clientCAFile",
  }),
  "authentication-token-webhook": flag.boolean({
    help: "Accept tokens of the cluster in place of client certificates",
    fallback: true,
    key: "authentication.webhook.enabled",
  }),
  "authentication-token-webhook-cache-ttl": flag.durationMs({
    help: "Time that the API server's review of a token is cached",
    fallback: 120_000,
    key: "authentication.webhook.cacheTTL",
  }),
  "machine-shared-by": flag.count({ min: 1, help: "Ours: number of nodes that share this machine", fallback: 1 }),
  "boot-id-file": flag.path({
    help: "File with the ID of the machine's boot; the event Rebooted reports a change",
    fallback: kernelBootIdFile,
  }),
  "resolv-conf": flag.path({
    help: "Resolver configuration for pods without cluster DNS",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  ...kubeletFlags,
  "log-level": flag.choice(logLevels, { help: "Least severe level that is logged", fallback: "info" }),
};

/** The documented configuration file. */
export const sample = (): string =>
  sampleFile(program, { ...table, "hostname-override": { ...table["hostname-override"], fallback: "node-1" } });

/** @throws FlagError with a sentence that names the fault. */
export function kubeletConfig(argv: readonly string[]): KubeletConfig {
  const flags = readFlags(program, table, argv);
  return {
    logLevel: flags["log-level"],
    features: featureConfig(flags).features,
    kubeconfig: flags.kubeconfig,
    runtimeEndpoint: flags["container-runtime-endpoint"],
    runtimeRequestTimeoutMs: flags["runtime-request-timeout"],
    machine: {
      cgroupRoot: flags["cgroup-root"],
      rootDirectory: flags["root-dir"],
      sharedBy: flags["machine-shared-by"],
      resolvConf: flags["resolv-conf"],
      bootIdFile: flags["boot-id-file"],
      nodeName: flags["hostname-override"].toLowerCase(),
    },
    tokenCacheTtlMs: flags["authentication-token-webhook"]
      ? flags["authentication-token-webhook-cache-ttl"]
      : undefined,
    manifestPath: flags["pod-manifest-path"],
    pluginRegistrationDirectory: flags["plugin-registration-dir"] ?? join(flags["root-dir"], "plugins_registry"),
    server: {
      address: flags.address,
      port: flags.port,
      certFile: flags["tls-cert-file"],
      keyFile: flags["tls-private-key-file"],
      clientCaFile: flags["client-ca-file"],
    },
    kubelet: kubeletOptions(flags),
  };
}
