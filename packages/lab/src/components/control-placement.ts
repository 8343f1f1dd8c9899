import { join } from "node:path";
import { controlCgroup, type ClusterPaths, serverCgroup, serverPaths } from "../cluster/cluster-paths.ts";
import type { ClusterSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, serverAddresses } from "../network/addresses.ts";
import { serverPorts } from "../network/plan-cut.ts";

/** The place of one control plane's processes: the host itself, or a server of its own. */
export interface ControlPlacement {
  /** The suffix of the names of its components: "@server-1", or "" on the host. */
  readonly suffix: string;
  readonly cgroup: string;
  readonly namespacePath?: string;
  readonly hostname?: string;
  /** The address that nodes, pods and other servers reach. */
  readonly address: string;
  readonly dataDirectory: string;
  readonly natsConfig: string;
  /** The identity with which its API server serves. */
  readonly serving: string;
  /** URLs of the NATS servers, the nearest first. */
  readonly natsServers: readonly string[];
  /** URLs of etcd's members, the nearest first; undefined on the host, which has LevelDB. */
  readonly etcdServers?: readonly string[];
  /** The directory of the kubeconfigs of its services. */
  readonly kubeconfigs: string;
}

interface PlacedCluster {
  readonly spec: ClusterSpec;
  readonly paths: ClusterPaths;
}

/** The only control plane of a cluster without servers. */
export function hostPlacement({ spec, paths }: PlacedCluster): ControlPlacement {
  const { gateway } = clusterAddresses(spec);
  return {
    suffix: "",
    cgroup: controlCgroup(spec),
    address: gateway,
    dataDirectory: paths.store,
    natsConfig: paths.natsConfig,
    serving: "api-server",
    natsServers: [`tls://${gateway}:${serverPorts.nats}`],
    kubeconfigs: paths.data,
  };
}

export function serverPlacement({ spec, paths }: PlacedCluster, server: ServerSpec): ControlPlacement {
  const { address, namespacePath } = serverAddresses(spec, server);
  const own = serverPaths(paths, server);
  const addresses = nearestFirst(spec, server).map((each) => serverAddresses(spec, each).address);
  return {
    suffix: `@${server.name}`,
    cgroup: serverCgroup(spec, server),
    namespacePath,
    hostname: server.name,
    address,
    dataDirectory: own.store,
    natsConfig: own.natsConfig,
    serving: `api-server-${server.index}`,
    natsServers: addresses.map((each) => `tls://${each}:${serverPorts.nats}`),
    etcdServers: addresses.map((each) => `https://${each}:${serverPorts.etcd}`),
    kubeconfigs: own.data,
  };
}

/**
 * The addresses of the API, in the order in which a client tries them; only a cluster with servers
 * has several.
 */
export function apiServerUrls(spec: ClusterSpec, first?: ServerSpec): string[] {
  const ordered = first === undefined ? (spec.servers ?? []) : nearestFirst(spec, first);
  return ordered.map((server) => `https://${serverAddresses(spec, server).address}:${spec.apiPort}`);
}

/** All servers of the cluster in order, starting with the given server. */
function nearestFirst({ servers = [] }: ClusterSpec, first: ServerSpec): ServerSpec[] {
  const at = servers.findIndex(({ name }) => name === first.name);
  return [...servers.slice(at), ...servers.slice(0, at)];
}

/** The file of a service's kubeconfig: "scheduler", "controller-manager". */
export function placementKubeconfig(placement: ControlPlacement, identity: string): string {
  return join(placement.kubeconfigs, `${identity}.kubeconfig`);
}
