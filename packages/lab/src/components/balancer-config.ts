import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, serverAddresses } from "../network/addresses.ts";

/** Connections of both sides take two descriptors each; kubectl and a dashboard need a few. */
const connectionsMax = 2_000;

/**
 * The configuration of the HAProxy before the servers of a cluster, on the host's address. TLS ends
 * at the servers. One that is not ready is left out within 2 s, and its connections are ended, so
 * that clients with a watch come back to another one.
 */
export function balancerConfig(spec: ClusterSpec, { caFile }: { caFile: string }): string {
  const { gateway } = clusterAddresses(spec);
  const port = spec.apiPort;
  const servers = (spec.servers ?? []).map(
    (server) => `  server ${server.name} ${serverAddresses(spec, server).address}:${port}`,
  );
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
  bind 127.0.0.1:${port}
  bind ${gateway}:${port}
  default_backend servers

backend servers
  balance leastconn
  option httpchk
  http-check send meth GET uri /readyz
  http-check expect status 200
  default-server check check-ssl verify required ca-file ${caFile} inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join("\n")}
`;
}
