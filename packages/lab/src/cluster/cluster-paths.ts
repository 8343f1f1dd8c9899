import { join } from "node:path";
import type { ClusterSpec, NodeSpec, ServerSpec } from "./cluster-spec.ts";

/** The directory of sockets and pid files, which a reboot removes together with their processes. */
export const runRoot = "/run/kintsugi";
/** A tmpfs for data that must never reach a disk, such as the Secrets of pods. */
export const memoryRoot = "/dev/shm/kintsugi";

/**
 * Every path of one cluster. `data` may be deep; sockets are below `run` because a socket's path
 * has at most 107 characters.
 */
export interface ClusterPaths {
  readonly data: string;
  readonly run: string;
  readonly memory: string;
  readonly specFile: string;
  /** The process that starts the cluster for the first time; absent once its API has responded. */
  readonly firstStartFile: string;
  readonly nodeStatesFile: string;
  readonly serverStatesFile: string;
  readonly pki: string;
  readonly logs: string;
  readonly store: string;
  readonly natsConfig: string;
  /** The configuration of the load balancer before several servers. */
  readonly balancerConfig: string;
  readonly adminKubeconfig: string;
  /** The kubeconfig of every node's proxy. */
  readonly proxyKubeconfig: string;
  /** The disks of the storage driver. */
  readonly disks: string;
  /** The socket of the storage driver's controller. */
  readonly csiSocket: string;
  /** The files of the HTTP server for Ingresses. */
  readonly ingress: string;
  /** The state of the cloud. */
  readonly cloud: string;
  /** The node groups of the cloud, if the cluster's description has any. */
  readonly cloudGroups: string;
  readonly cloudSocket: string;
  readonly images: string;
  readonly registries: string;
  readonly pids: string;
  readonly supervisorSocket: string;
}

export function clusterPaths(dataRoot: string, name: string): ClusterPaths {
  const data = join(dataRoot, name);
  const run = join(runRoot, name);
  return {
    data,
    run,
    memory: join(memoryRoot, name),
    specFile: join(data, "cluster.json"),
    firstStartFile: join(data, "first-start.json"),
    nodeStatesFile: join(data, "node-states.json"),
    serverStatesFile: join(data, "server-states.json"),
    pki: join(data, "pki"),
    logs: join(data, "logs"),
    store: join(data, "store"),
    natsConfig: join(data, "nats.conf"),
    balancerConfig: join(data, "haproxy.cfg"),
    adminKubeconfig: join(data, "admin.kubeconfig"),
    proxyKubeconfig: join(data, "proxy.kubeconfig"),
    disks: join(data, "disks"),
    csiSocket: join(run, "csi.sock"),
    ingress: join(run, "ingress"),
    cloud: join(data, "cloud"),
    cloudGroups: join(data, "cloud-groups.json"),
    cloudSocket: join(run, "cloud.sock"),
    images: join(data, "images"),
    registries: join(data, "registries"),
    pids: join(run, "pids"),
    supervisorSocket: join(run, "supervisor.sock"),
  };
}

export interface NodePaths {
  readonly data: string;
  readonly run: string;
  readonly containerdRoot: string;
  readonly containerdState: string;
  readonly containerdSocket: string;
  /** The file that identifies this boot of the node. */
  readonly bootId: string;
  readonly kubeletRoot: string;
  readonly kubeletMemory: string;
  /** Manifests of the node's static pods. */
  readonly manifests: string;
  readonly kubeconfig: string;
  /** The socket of the node's storage driver. */
  readonly csiSocket: string;
  /** The directory in which the kubelet looks for the sockets of plugins. */
  readonly pluginSockets: string;
  /** The files of the node's simulated devices. */
  readonly devices: string;
  /** The socket of the driver of the node's devices. */
  readonly devicesSocket: string;
  /** The directory of CDI specifications. */
  readonly cdi: string;
}

export function nodePaths(paths: ClusterPaths, node: Pick<NodeSpec, "name">): NodePaths {
  const data = join(paths.data, "nodes", node.name);
  const run = join(paths.run, node.name);
  return {
    data,
    run,
    containerdRoot: join(data, "containerd"),
    containerdState: join(run, "containerd"),
    containerdSocket: join(run, "containerd.sock"),
    bootId: join(run, "boot-id"),
    kubeletRoot: join(data, "kubelet"),
    kubeletMemory: join(paths.memory, node.name),
    manifests: join(data, "manifests"),
    kubeconfig: join(data, "kubelet.kubeconfig"),
    csiSocket: join(run, "csi.sock"),
    pluginSockets: join(run, "plugins_registry"),
    devices: join(data, "devices"),
    devicesSocket: join(run, "devices.sock"),
    cdi: join(run, "cdi"),
  };
}

export interface ServerPaths {
  readonly data: string;
  /** The data directory of its API server. */
  readonly store: string;
  readonly etcd: string;
  readonly natsConfig: string;
}

/** Returns the name of a process's log: "kubelet-node-1.log" for "kubelet@node-1". */
export function logFileName(id: string): string {
  return `${id.replace("@", "-")}.log`;
}

export function serverPaths(paths: ClusterPaths, { name }: Pick<ServerSpec, "name">): ServerPaths {
  const data = join(paths.data, "servers", name);
  return { data, store: join(data, "store"), etcd: join(data, "etcd"), natsConfig: join(data, "nats.conf") };
}

/** The cgroup that accounts for all of a cluster's processes, below every controller's root. */
export function clusterCgroup(spec: Pick<ClusterSpec, "name">): string {
  return `/kintsugi/${spec.name}`;
}

export function controlCgroup(spec: Pick<ClusterSpec, "name">): string {
  return `${clusterCgroup(spec)}/control`;
}

/** The group of all processes of a server; nodes never have its name. */
export function serverCgroup(spec: Pick<ClusterSpec, "name">, server: ServerSpec): string {
  return `${clusterCgroup(spec)}/${server.name}`;
}

export function nodeCgroup(spec: Pick<ClusterSpec, "name">, node: NodeSpec): string {
  return `${clusterCgroup(spec)}/${node.name}`;
}

/**
 * The group of a node's own processes, separate from its pods: on cgroup v2 a group whose children
 * have controllers may not contain processes itself, and runc needs these controllers to set limits
 * for the pods.
 */
export function nodeSystemCgroup(spec: Pick<ClusterSpec, "name">, node: NodeSpec): string {
  return `${nodeCgroup(spec, node)}/system`;
}
