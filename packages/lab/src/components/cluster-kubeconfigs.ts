import { join } from "node:path";
import { nodePaths } from "../cluster/cluster-paths.ts";
import type { ServerSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses } from "../network/addresses.ts";
import type { ClusterLayout } from "./components.ts";
import { apiServerUrls, placementKubeconfig, serverPlacement } from "./control-placement.ts";
import { servicesOfHost } from "./host-programs.ts";

export interface ClusterKubeconfig {
  readonly identity: string;
  readonly file: string;
  readonly server: string;
  readonly servers?: readonly string[];
}

/**
 * The kubeconfigs of a cluster's services, nodes and administrator. With several servers, a program
 * that supports only one address has the address of the load balancer. Kintsugi's programs have the
 * addresses of all servers, and nodes begin with different servers, to share the load.
 */
export function clusterKubeconfigs({ spec, paths }: ClusterLayout): ClusterKubeconfig[] {
  const { servers = [] } = spec;
  const inside = `https://${clusterAddresses(spec).gateway}:${spec.apiPort}`;
  const local = `https://127.0.0.1:${spec.apiPort}`;
  const from = (first: ServerSpec | undefined, single: string) => {
    if (first === undefined) return { server: single };
    const urls = apiServerUrls(spec, first);
    return { server: urls[0] ?? single, servers: urls };
  };
  const controllers = ["scheduler", "controller-manager"];
  const ofHost = (identity: string) => ({ identity, file: join(paths.data, `${identity}.kubeconfig`) });
  return [
    {
      identity: "admin",
      file: paths.adminKubeconfig,
      server: local,
      ...(servers.length === 0 ? {} : { servers: apiServerUrls(spec) }),
    },
    { identity: "proxy", file: paths.proxyKubeconfig, ...from(servers[0], inside) },
    ...servicesOfHost.map((identity) => ({ ...ofHost(identity), ...from(servers[0], local) })),
    ...(servers.length === 0 ? controllers.map((identity) => ({ ...ofHost(identity), server: local })) : []),
    ...servers.flatMap((server) => {
      const placement = serverPlacement({ spec, paths }, server);
      return controllers.map((identity) => ({
        identity,
        file: placementKubeconfig(placement, identity),
        ...from(server, local),
      }));
    }),
    ...spec.nodes.map((node) => ({
      identity: node.name,
      file: nodePaths(paths, node).kubeconfig,
      ...from(servers[node.index % Math.max(1, servers.length)], inside),
    })),
  ];
}
