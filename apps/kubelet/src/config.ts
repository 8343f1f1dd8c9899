import { join } from "node:path";
import { featureConfig, flag, type FlagValues } from "@kintsugi/daemon";
import { kubeletFlags, kubeletOptions } from "./kubelet-options.ts";
import { kernelBootIdFile } from "./machine/kernel/linux-machine.ts";

/** The command line of the kubelet, completed. */
export type KubeletConfig = ReturnType<typeof readOptions>;

/**
 * The flags of the process and of its machine. The kubelet's own flags are in kubelet-options.ts.
 */
export const options = {
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
    help: "Kintsugi's own: directory of the sockets by which plugins register (default: plugins_registry in the root directory)",
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
    help: "Accept tokens of the cluster instead of client certificates",
    fallback: true,
    key: "authentication.webhook.enabled",
  }),
  "authentication-token-webhook-cache-ttl": flag.durationMs({
    help: "Time that the API server's review of a token is cached",
    fallback: 120_000,
    key: "authentication.webhook.cacheTTL",
  }),
  "machine-shared-by": flag.count({
    min: 1,
    help: "Kintsugi's own: number of nodes that share this machine",
    fallback: 1,
  }),
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
};

/** Completes the values of the flags. @throws FlagError with a sentence that names the fault. */
export function readOptions(flags: FlagValues<typeof options>) {
  return {
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
    // Undefined: tokens are not checked.
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
