import { join } from "node:path";
import type { NatsServerOptions } from "@kintsugi/watch-stream";
import { etcdClientFiles, etcdFiles, natsRouteFiles } from "../components/server-pki.ts";
import { serverPorts } from "../network/plan-cut.ts";

/** A machine among the servers of one control plane. */
export interface ServerPlace {
  /** The address at which the other machines reach this machine. */
  readonly address: string;
  /** The addresses of all servers, including this server; the same on each machine. */
  readonly servers: readonly string[];
}

/**
 * The other servers in the order after this server, so that each server begins with a different
 * server, and load is shared.
 */
export function nearestFirst({ address, servers }: ServerPlace): string[] {
  const at = servers.indexOf(address);
  return [...servers.slice(at), ...servers.slice(0, at)];
}

/** The configuration file of the etcd member of this machine. */
export function etcdConfiguration(
  { address, servers }: ServerPlace,
  { pki, dataDirectory }: { pki: string; dataDirectory: string },
): Record<string, unknown> {
  const { certFile, keyFile, caFile } = etcdFiles(pki, undefined);
  const client = `https://${address}:${serverPorts.etcd}`;
  const peerOf = (server: string) => `https://${server}:${serverPorts.etcdPeer}`;
  const security = {
    "cert-file": certFile,
    "key-file": keyFile,
    "trusted-ca-file": caFile,
    "client-cert-auth": true,
  };
  return {
    name: address,
    "data-dir": dataDirectory,
    "listen-client-urls": client,
    "advertise-client-urls": client,
    "listen-peer-urls": peerOf(address),
    "initial-advertise-peer-urls": peerOf(address),
    "initial-cluster": servers.map((server) => `${server}=${peerOf(server)}`).join(","),
    "initial-cluster-token": "kintsugi",
    "client-transport-security": security,
    "peer-transport-security": security,
    logger: "zap",
    "log-outputs": ["stderr"],
  };
}

/** The fields of the API server's configuration that differ if objects are in etcd. */
export function etcdFields(place: ServerPlace, pki: string): Record<string, unknown> {
  const { certFile, keyFile, caFile } = etcdClientFiles(pki);
  const servers = nearestFirst(place);
  return {
    etcdServers: servers.map((server) => `https://${server}:${serverPorts.etcd}`),
    etcdCAFile: caFile,
    etcdCertFile: certFile,
    etcdKeyFile: keyFile,
    natsServer: servers.map((server) => `tls://${server}:${serverPorts.nats}`),
  };
}

/** The routes of this machine's NATS server to the other servers. */
export function natsRouting({ address, servers }: ServerPlace, pki: string): NonNullable<NatsServerOptions["routing"]> {
  return {
    cluster: "kintsugi",
    server: address,
    port: serverPorts.natsRoute,
    routes: servers.filter((server) => server !== address).map((server) => `tls://${server}:${serverPorts.natsRoute}`),
    ...natsRouteFiles(pki, undefined),
  };
}

/** The directory of etcd's data, next to the data directory of the API server. */
export function etcdDirectory(dataDirectory: string): string {
  return join(dataDirectory, "../etcd");
}
