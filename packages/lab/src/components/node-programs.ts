import { join } from "node:path";
import { nodeCgroup, nodePaths } from "../cluster/cluster-paths.ts";
import type { NodeSpec } from "../cluster/cluster-spec.ts";
import { nodeAddresses } from "../network/addresses.ts";
import type { NodeResolver } from "../network/node-resolver.ts";
import type { Flags } from "../settings/setting.ts";
import { identityFiles } from "./identity-files.ts";
import { controlPorts, sharedDiskFlags } from "./components.ts";
import { labDriverName } from "./host-programs.ts";
import type { NodeProgram } from "./lab-program.ts";

/** The user may stop the kubelet, and start it again. */
export const kubeletProgram: NodeProgram = {
  name: "kubelet",
  after: "images",
  inNodeNetwork: true,
  when: () => true,
  flags({ spec, paths, resolver }, node) {
    const own = nodePaths(paths, node);
    const { address, podCidr } = nodeAddresses(spec, node);
    const identity = identityFiles(paths.pki, node.name);
    return {
      kubeconfig: own.kubeconfig,
      "hostname-override": node.name,
      "node-ip": address,
      "container-runtime-endpoint": `unix://${own.containerdSocket}`,
      "root-dir": own.kubeletRoot,
      "memory-dir": own.kubeletMemory,
      "pod-manifest-path": own.manifests,
      "plugin-registration-dir": own.pluginSockets,
      "cdi-spec-dirs": own.cdi,
      "pod-cidr": podCidr,
      port: controlPorts.kubelet,
      "tls-cert-file": identity.certFile,
      "tls-private-key-file": identity.keyFile,
      "client-ca-file": identity.caFile,
      "cgroup-root": nodeCgroup(spec, node),
      "boot-id-file": own.bootId,
      "local-images": "true",
      ...resolverFlag(resolver),
      ...sharedDiskFlags,
      ...registrationFlags(node),
    };
  },
  appends: ({ kubeletArgs = [] }) => kubeletArgs,
};

/** The storage driver on a node. */
const csiLab: NodeProgram = {
  name: "csi-lab",
  after: "nodes",
  inNodeNetwork: false,
  when: ({ csi }) => csi === true,
  flags({ paths }, node) {
    const own = nodePaths(paths, node);
    return {
      mode: "node",
      "node-name": node.name,
      "driver-name": labDriverName,
      directory: paths.disks,
      socket: own.csiSocket,
      "registration-socket": join(own.pluginSockets, `${labDriverName}-reg.sock`),
    };
  },
};

/** The name of the driver of simulated devices, and of their class. */
export const labDevicesName = "device.lab.kintsugi.dev";

/** The driver of the node's devices, which has the node's own permissions and network. */
const deviceLab: NodeProgram = {
  name: "device-lab",
  after: "images",
  inNodeNetwork: true,
  when: ({ devices = 0 }) => devices > 0,
  flags({ paths }, node) {
    const own = nodePaths(paths, node);
    return {
      kubeconfig: own.kubeconfig,
      "driver-name": labDevicesName,
      "node-name": node.name,
      directory: own.devices,
      "cdi-dir": own.cdi,
      socket: own.devicesSocket,
      "registration-socket": join(own.pluginSockets, `${labDevicesName}-reg.sock`),
    };
  },
};

/**
 * Pods can be created without the proxy, so the node's start does not compete with it for the CPU.
 */
const proxy: NodeProgram = {
  name: "proxy",
  after: "kubelet",
  inNodeNetwork: true,
  when: (spec) => spec.proxy !== false,
  flags({ spec, paths, resolver }, node) {
    return {
      kubeconfig: paths.proxyKubeconfig,
      "hostname-override": node.name,
      "dns-bind-address": [nodeAddresses(spec, node).address, ...resolver.stubs].join(),
      ...resolverFlag(resolver),
    };
  },
};

/** Every program that runs on each node, in addition to its containerd. */
export const nodePrograms: readonly NodeProgram[] = [kubeletProgram, csiLab, deviceLab, proxy];

function registrationFlags({ labels = {}, taints = [] }: NodeSpec): Flags {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return {
    ...(pairs.length === 0 ? {} : { "node-labels": pairs.join(",") }),
    ...(taints.length === 0 ? {} : { "register-with-taints": taints.join(",") }),
  };
}

function resolverFlag({ resolvConf }: NodeResolver): Flags {
  return resolvConf === undefined ? {} : { "resolv-conf": resolvConf };
}
