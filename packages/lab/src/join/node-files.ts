import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProfileName } from "@kintsugi/api";
import { kubeconfigText, parseKubeconfig, withEntry } from "@kintsugi/client";
import { stringify } from "yaml";
import { writeContainerdFiles } from "../containerd/containerd-files.ts";
import { writeWhole } from "@kintsugi/daemon";
import { nodeResolver, type NodeResolver } from "../network/node-resolver.ts";
import { JoinRefused } from "./join-refused.ts";

// `kintsugi join` leaves these files in its directory:
//
//   kubelet.yaml                                  the kubelet's configuration, with all paths
//   proxy.yaml                                    the proxy's
//   kubelet.kubeconfig                            the API's address and the identity of both
//   pki/ca.crt pki/kubelet.crt pki/kubelet.key    the kubelet's serving certificate
//   containerd.toml cni/                          unless a runtime exists already
//   containerd.toml.network                       the template of the pods' network, when the
//                                                 cluster assigns their range

export interface NodeFilesOptions {
  readonly directory: string;
  readonly server: string;
  readonly nodeName: string;
  readonly nodeIp: string;
  /** Undefined if the cluster assigns a range to the node. */
  readonly podCidr: string | undefined;
  readonly kubeletPort: number;
  readonly profile: ProfileName;
  /** "unix:///…" of an existing runtime; undefined for a containerd of our own. */
  readonly runtimeEndpoint: string | undefined;
  /** The parent directory of the state of Kintsugi's own containerd, and of the kubelet's state. */
  readonly stateDirectory: string;
}

export interface NodeCredentials {
  readonly ca: string;
  readonly client: { readonly cert: string; readonly key: string };
  readonly serving: { readonly cert: string; readonly key: string };
}

function kubeconfigFile(directory: string): string {
  return join(directory, "kubelet.kubeconfig");
}

/**
 * Reports whether the directory already contains this node's identity in the cluster of that
 * authority.
 * @throws JoinRefused when it contains another identity.
 */
export function holdsIdentity(directory: string, desired: { ca: string; nodeName: string }): boolean {
  const file = kubeconfigFile(directory);
  if (!existsSync(file)) return false;
  const { ca, context } = parseKubeconfig(readFileSync(file, "utf8"));
  if (ca?.trim() !== desired.ca.trim())
    throw new JoinRefused(
      `${directory} contains the identity of a node in another cluster: drain and stop that node, then remove ${directory}, or join with another --config-dir`,
    );
  if (context !== contextOf(desired.nodeName))
    throw new JoinRefused(
      `${directory} holds the identity of ${context}, not of ${contextOf(desired.nodeName)}: use the previous --node-name, or remove ${directory}`,
    );
  return true;
}

function contextOf(nodeName: string): string {
  return `system:node:${nodeName}@kintsugi`;
}

export async function writeCredentials(options: NodeFilesOptions, credentials: NodeCredentials): Promise<void> {
  const { directory, server, nodeName } = options;
  const { ca, client, serving } = credentials;
  await writeWhole(join(directory, "pki/ca.crt"), ca);
  await writeWhole(join(directory, "pki/kubelet.crt"), serving.cert);
  await writeWhole(join(directory, "pki/kubelet.key"), serving.key, 0o600);
  // The kubeconfig is written last, so that a process that finds the kubeconfig also finds the
  // other files.
  const kubeconfig = withEntry({}, { name: contextOf(nodeName), server, ca, ...client });
  await writeWhole(kubeconfigFile(directory), kubeconfigText(kubeconfig), 0o600);
}

export async function writeConfiguration(options: NodeFilesOptions): Promise<void> {
  const { directory, stateDirectory } = options;
  await writeWhole(join(directory, "kubelet.yaml"), stringify(kubeletConfiguration(options, await nodeResolver())));
  await writeWhole(join(directory, "proxy.yaml"), stringify(proxyConfiguration(options)));
  if (options.runtimeEndpoint !== undefined) return;
  const root = join(stateDirectory, "containerd");
  const places = {
    configFile: join(directory, "containerd.toml"),
    root,
    state: "/run/kintsugi-containerd",
    socket: ownSocket,
    registryDirectory: join(directory, "certs.d"),
    cniConfigDirectory: join(directory, "cni"),
    ipamDirectory: join(root, "kintsugi-ipam"),
  };
  await writeContainerdFiles(places, { podCidr: options.podCidr });
}

/** The socket of a containerd with this configuration. */
export const ownSocket = "/run/kintsugi-containerd/containerd.sock";

function proxyConfiguration({ directory, nodeName, profile }: NodeFilesOptions): Record<string, unknown> {
  return {
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    clientConnection: { kubeconfig: kubeconfigFile(directory) },
    hostnameOverride: nodeName,
    // NetworkPolicies can select any pod of the cluster, and a node may not read all pods.
    enforceNetworkPolicies: false,
    profile,
  };
}

/** Pods that use their node's name servers cannot reach a server at the node's loopback. */
function kubeletConfiguration(options: NodeFilesOptions, { resolvConf }: NodeResolver): Record<string, unknown> {
  const { directory, stateDirectory, nodeName, nodeIp, podCidr, profile } = options;
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    kubeconfig: kubeconfigFile(directory),
    hostnameOverride: nodeName,
    nodeIP: [nodeIp],
    ...(podCidr === undefined ? {} : { podCIDR: podCidr }),
    ...(resolvConf === undefined ? {} : { resolvConf }),
    port: options.kubeletPort,
    containerRuntimeEndpoint: options.runtimeEndpoint ?? `unix://${ownSocket}`,
    rootDir: join(stateDirectory, "kubelet"),
    memoryDir: "/run/kintsugi-kubelet",
    cgroupRoot: "/kintsugi",
    tlsCertFile: join(directory, "pki/kubelet.crt"),
    tlsPrivateKeyFile: join(directory, "pki/kubelet.key"),
    authentication: { x509: { clientCAFile: join(directory, "pki/ca.crt") } },
    localImages: true,
    profile,
  };
}
