import { type ConfiguredProgram, flag, type LogLevel, logLevels, readFlags, sampleFile } from "@kintsugi/daemon";
import { kubeletFlags, type KubeletOptions, kubeletOptions } from "./kubelet-options.ts";
import { kernelBootIdFile, type LinuxMachineOptions } from "./machine/kernel/linux-machine.ts";

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
    "It is read when the service starts, and not again (upstream's kubelet does the same): restart it, containers stay",
};

/** The flags of the process and of its machine; those of the kubelet stand in kubelet-options.ts. */
const table = {
  kubeconfig: flag.path({
    help: "How to reach the API",
    required: true,
    example: "/etc/kintsugi/kubelet.kubeconfig",
  }),
  "container-runtime-endpoint": flag.text({
    help: "The CRI socket",
    fallback: "unix:///run/containerd/containerd.sock",
  }),
  "runtime-request-timeout": flag.durationMs({ help: "Longest wait for the runtime", fallback: 120_000 }),
  "pod-manifest-path": flag.path({
    help: "A directory (or a file) with manifests of pods that this node runs whatever the API says: static pods",
    placeholder: "directory",
    key: "staticPodPath",
    example: "/etc/kubernetes/manifests",
  }),
  address: flag.text({ help: "Where to serve", fallback: "0.0.0.0" }),
  "tls-cert-file": flag.path({
    help: "The server's certificate",
    required: true,
    example: "/etc/kintsugi/pki/kubelet.crt",
  }),
  "tls-private-key-file": flag.path({ help: "Its key", required: true, example: "/etc/kintsugi/pki/kubelet.key" }),
  "client-ca-file": flag.path({
    help: "Who signs the server's clients",
    required: true,
    example: "/etc/kintsugi/pki/ca.crt",
    key: "authentication.x509.clientCAFile",
  }),
  "authentication-token-webhook": flag.boolean({
    help: "Clients may show tokens of the cluster in place of certificates",
    fallback: true,
    key: "authentication.webhook.enabled",
  }),
  "authentication-token-webhook-cache-ttl": flag.durationMs({
    help: "How long the API's word on a token holds",
    fallback: 120_000,
    key: "authentication.webhook.cacheTTL",
  }),
  "machine-shared-by": flag.count({ min: 1, help: "Ours: how many nodes share this machine", fallback: 1 }),
  "boot-id-file": flag.path({
    help: "Says which boot of the machine this is; another than before is told as the event Rebooted",
    fallback: kernelBootIdFile,
  }),
  "resolv-conf": flag.path({
    help: "The resolver's configuration from which pods without cluster DNS get theirs",
    fallback: "/etc/resolv.conf",
    key: "resolvConf",
  }),
  ...kubeletFlags,
  "log-level": flag.choice(logLevels, { help: "What is logged", fallback: "info" }),
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
    kubelet: kubeletOptions(flags),
  };
}
