import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { nodesMax, type ProfileName } from "@kintsugi/api";
import type { OciRuntime } from "./oci-runtimes.ts";
import { InvalidSpec } from "./invalid-spec.ts";

/** The parts of a cluster on this host; written once by `up`, read by everything else. */
export interface ClusterSpec {
  /** The version of this file's shape. */
  formatVersion: 1;
  name: string;
  profile: ProfileName;
  nodes: readonly NodeSpec[];
  /** The port on 127.0.0.1 and on the bridge. */
  apiPort: number;
  /** The second byte of the cluster's 10.x.0.0/16. */
  subnet: number;
  createdAtMs: number;
  /** Mirrors, and registries without TLS; none when it is missing. */
  registries?: readonly RegistrySpec[];
  /**
   * Flags that every kubelet gets after its own, "name=value"; a flag that is given twice has its
   * last value.
   */
  kubeletArgs?: readonly string[];
  /**
   * The program that makes the containers of its nodes; runc when it is missing, as in clusters
   * that are older than the choice.
   */
  ociRuntime?: OciRuntime;
  /** False: its nodes have no proxies, and addresses of Services lead nowhere. */
  proxy?: boolean;
  /** True: there is a storage driver, and the StorageClass `csi-lab`. */
  csi?: boolean;
  /** The number of simulated devices that each node has; none when it is missing. */
  devices?: number;
  /** The version of Kubernetes that the cluster is like, "1.34"; the default when it is missing. */
  kubernetesVersion?: string;
  /** True: Ingresses of the class `kintsugi` are served on the bridge's address. */
  ingress?: boolean;
  /**
   * There is a cloud: its controller manager initializes the nodes, Services get load balancers,
   * and pods without room get machines.
   */
  cloud?: CloudSpec;
  /** False: nodes and pods reach this host and each other, and nothing else. */
  egress?: boolean;
  /** True: Services may have external IPs that are not the cluster's own (CVE-2020-8554). */
  externalIps?: boolean;
  /** True: the controller-manager moves pods that crowd together. */
  rebalance?: boolean;
  /** The collector that receives a trace of each recovery; none when it is missing. */
  tracesEndpoint?: string;
  /** The number of nodes without containers, in one process; none when it is missing. */
  hollowNodes?: number;
  /** Ports of this host that lead to ports of nodes; none when it is missing. */
  portForwards?: readonly ForwardedPort[];
  /**
   * Machines of the control plane that share their objects in etcd; when it is missing, one control
   * plane runs on the host itself, and keeps its objects in LevelDB.
   */
  servers?: readonly ServerSpec[];
  /** Archives and names of images that every node gets, as `kintsugi image load` takes them. */
  images?: readonly string[];
}

/**
 * A machine of the control plane: an etcd member, a NATS server, an API server, a scheduler and a
 * controller-manager.
 */
export interface ServerSpec {
  name: string;
  /** The number of the server, from 1; it fixes the server's address. */
  index: number;
}

export interface NodeSpec {
  name: string;
  /** The number of the node, from 1; it fixes the node's addresses. */
  index: number;
  /** Labels that its kubelet registers. */
  labels?: Readonly<Record<string, string>>;
  /** Taints that its kubelet registers: "dedicated=database:NoSchedule". */
  taints?: readonly string[];
  /** Flags of its kubelet, after those of all kubelets. */
  kubeletArgs?: readonly string[];
}

/** The cloud of a cluster of this host. */
export interface CloudSpec {
  /** The most machines that it adds; 0 for none. */
  machinesMax: number;
  /** Processors of such a machine, in thousandths; all of this host's where it is missing. */
  machineCpuMillicores?: number;
  /** Its node groups; one that is called `pool` where they are missing. */
  groups?: readonly CloudGroupSpec[];
}

/** A node group of a cloud; sizes that are missing are those of this host. */
interface CloudGroupSpec {
  name: string;
  min: number;
  max: number;
  /** A group of a higher priority grows before others. */
  priority: number;
  cpuMillicores?: number;
  memoryBytes?: number;
  /** Default 110. */
  podsMax?: number;
  zone?: string;
  labels?: Readonly<Record<string, string>>;
  taints?: readonly string[];
}

/** A port of this host whose connections go to a port of a node. */
export interface ForwardedPort {
  /** Default 127.0.0.1. */
  hostAddress?: string;
  hostPort: number;
  node: string;
  nodePort: number;
}

/** Name rules of upstream's clusters in kind: they become parts of host names and paths. */
const nameForm = /^[a-z0-9]([a-z0-9.-]{0,30}[a-z0-9])?$/;

/** @throws InvalidSpec that names the remedy. */
export function newClusterSpec(
  options: Omit<ClusterSpec, "formatVersion" | "nodes"> & { nodeCount: number; nodes?: readonly NodeSpec[] },
): ClusterSpec {
  const { nodeCount, nodes: wanted, ...rest } = options;
  const count = wanted?.length ?? nodeCount;
  assertClusterName(rest.name);
  if (!Number.isInteger(count) || count < 1 || count > nodesMax) {
    throw new InvalidSpec(`--nodes must be a whole number from 1 to ${nodesMax}, not ${count}`);
  }
  if (!Number.isInteger(rest.apiPort) || rest.apiPort < 1 || rest.apiPort > 65535) {
    throw new InvalidSpec(`--api-port must be from 1 to 65535, not ${rest.apiPort}`);
  }
  const nodes = wanted ?? Array.from({ length: nodeCount }, (_, i) => ({ name: `node-${i + 1}`, index: i + 1 }));
  return { formatVersion: 1, nodes, ...rest };
}

/** Numbers of which a minority may be lost: two of three, and three of five, are a majority. */
const serverCounts: readonly number[] = [3, 5];

/**
 * Returns the machines of a control plane; undefined for the one on the host itself.
 * @throws InvalidSpec that names the remedy.
 */
export function planServers(count: number): readonly ServerSpec[] | undefined {
  if (count === 1) return undefined;
  if (!serverCounts.includes(count)) {
    throw new InvalidSpec(
      `--servers must be 1, 3 or 5, not ${count}: of two or four servers no more may be lost than of one or three`,
    );
  }
  return Array.from({ length: count }, (_, i) => ({ name: `server-${i + 1}`, index: i + 1 }));
}

/** @throws InvalidSpec with the names of the servers that there are. */
export function findServer({ name: cluster, servers }: ClusterSpec, name: string): ServerSpec {
  if (servers === undefined) {
    throw new InvalidSpec(
      `cluster "${cluster}" has one control plane on this host: \`kintsugi up --name NAME --servers 3\` makes a cluster with three`,
    );
  }
  const server = servers.find((candidate) => candidate.name === name);
  if (server) return server;
  throw new InvalidSpec(
    `cluster "${cluster}" has no server "${name}"; it has ${servers.map((each) => each.name).join(", ")}`,
  );
}

/** @throws InvalidSpec unless `name` can be a cluster's name. */
export function assertClusterName(name: string): void {
  if (!nameForm.test(name) || name.includes("..") || isIP(name) !== 0) {
    throw new InvalidSpec(`"${name}" cannot be a cluster's name: use up to 32 lower-case letters, digits, '-' and '.'`);
  }
}

/**
 * Returns six hex digits that distinguish this cluster's links from others': interface names have
 * 15 characters at most.
 */
export function clusterId(spec: Pick<ClusterSpec, "name">): string {
  return createHash("sha256").update(spec.name).digest("hex").slice(0, 6);
}

export function findNode(spec: ClusterSpec, name: string): NodeSpec {
  const node = spec.nodes.find((candidate) => candidate.name === name);
  if (node) return node;
  throw new InvalidSpec(
    `cluster "${spec.name}" has no node "${name}"; it has ${spec.nodes.map((n) => n.name).join(", ")}`,
  );
}

/** Other servers for a registry's images, instead of or before the registry itself. */
export interface RegistrySpec {
  /** The registry's name in images: "registry.example.com:5000", "docker.io". */
  host: string;
  /** The servers in the order in which they are tried: "http://192.0.2.1:5000". */
  endpoints: readonly string[];
  /** The registry itself is never tried: it speaks no TLS. */
  insecure: boolean;
}
