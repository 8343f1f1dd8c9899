import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, serverAddresses } from "../network/addresses.ts";

/**
 * Maximum number of connections. Connections of both sides take two descriptors each; kubectl and a
 * dashboard need a few.
 */
const connectionsMax = 2_000;
/** The programs of the host count as one client, and so does each node. */
const connectionsMaxOfClient = connectionsMax / 2;

interface ProxiedServers {
  /** Addresses with ports on which clients connect: "127.0.0.1:6443". */
  readonly binds: readonly string[];
  /** The API servers by their names; addresses have ports. */
  readonly servers: readonly { readonly name: string; readonly address: string }[];
  /** Certificate authority of the servers, PEM. */
  readonly caFile: string;
  /**
   * An address with a port that responds to GET / while HAProxy runs. Default: HAProxy has no such
   * address.
   */
  readonly health?: string;
}

/** The HAProxy before the servers of a cluster of this host, on the host's address. */
export function balancerConfig(spec: ClusterSpec, { caFile }: { caFile: string }): string {
  const { gateway } = clusterAddresses(spec);
  const port = spec.apiPort;
  return haproxyConfig({
    binds: [`127.0.0.1:${port}`, `${gateway}:${port}`],
    servers: (spec.servers ?? []).map((server) => ({
      name: server.name,
      address: `${serverAddresses(spec, server).address}:${port}`,
    })),
    caFile,
  });
}

/**
 * The configuration of an HAProxy before API servers. TLS ends at the servers. A server that is not
 * ready is left out within 2 s, and its connections are closed, so that clients with a watch
 * reconnect to another server.
 */
export function haproxyConfig({ binds, servers, caFile, health }: ProxiedServers): string {
  const answers =
    health === undefined
      ? ""
      : `
frontend health
  mode http
  bind ${health}
  monitor-uri /
`;
  return `global
  maxconn ${connectionsMax}
  log stdout format raw daemon notice

defaults
  mode tcp
  log global
  option redispatch
  retries 3
  timeout connect 1s
  timeout check 1s
  timeout client 1h
  timeout server 1h

frontend api
${binds.map((bind) => `  bind ${bind}`).join("\n")}
  # The connections of one client do not block other clients.
  stick-table type ipv6 size 100k expire 2h store conn_cur
  tcp-request connection track-sc0 src
  tcp-request connection reject if { sc0_conn_cur gt ${connectionsMaxOfClient} }
  default_backend servers
${answers}
backend servers
  balance leastconn
  option httpchk
  http-check send meth GET uri /readyz
  http-check expect status 200
  default-server check check-ssl verify required ca-file ${caFile} inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.map(({ name, address }) => `  server ${name} ${address}`).join("\n")}
`;
}
