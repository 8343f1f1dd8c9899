import { join } from "node:path";
import { natsServerConfig, type NatsServerOptions } from "@kintsugi/watch-stream";
import { stringify } from "yaml";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { haproxyConfig } from "../components/balancer-config.ts";
import { controlPorts } from "../components/components.ts";
import type { ServerNames } from "../components/server-pki.ts";
import { etcdConfiguration, natsRouting, nearestFirst } from "../join/server-files.ts";
import { serverPorts } from "../network/plan-cut.ts";

// The containers of a composed control plane by its number of API servers, with their addresses in
// the cluster's network 10.x.0.0/24. The first of each kind exists in both cases.
//
//             1              3
//   .10       api-server     api-server      .9  api-server-2    .8  api-server-3
//   by name   nats           nats, nats-2, nats-3
//   by name   scheduler      scheduler, scheduler-2; controller-manager likewise
//   .4 to .6                 etcd-1, etcd-2, etcd-3
//   by name                  balancer, to which the host connects instead of the API server

/** The path of a container's files in the container. */
const identityMount = "/etc/kintsugi";
/** The numbers of API servers that a composed cluster can have. */
export const composedServerCounts: readonly number[] = [1, 3];
/** Port at which containers respond to health checks of their own. */
const healthPort = 8222;
/** etcd's metrics, without TLS, for Prometheus in the cluster's network. */
const etcdMetricsPort = 2381;
const apiPort = 6443;

type ServerCount = number;

export function composedApiServers(spec: ClusterSpec, servers: ServerCount): { name: string; address: string }[] {
  return numbered(servers).map((number) => ({
    name: nameOf("api-server", number),
    address: `10.${spec.subnet}.0.${11 - number}`,
  }));
}

/** URLs of the API servers for clients in the network, beginning with one of the servers. */
export function composedApiUrls(spec: ClusterSpec, servers: ServerCount, first = 0): string[] {
  const urls = composedApiServers(spec, servers).map(({ address }) => `https://${address}:${apiPort}`);
  return [...urls.slice(first % urls.length), ...urls.slice(0, first % urls.length)];
}

export function composedBusServers(servers: ServerCount): string[] {
  return numbered(servers).map((number) => nameOf("nats", number));
}

/** Names of the schedulers or controller-managers: two are enough, because only one leads. */
export function composedPair(program: "scheduler" | "controller-manager", servers: ServerCount): string[] {
  return servers === 1 ? [program] : [program, `${program}-2`];
}

export function composedEtcd(spec: ClusterSpec, servers: ServerCount): { name: string; address: string }[] {
  if (servers === 1) return [];
  return numbered(servers).map((number) => ({ name: `etcd-${number}`, address: `10.${spec.subnet}.0.${3 + number}` }));
}

/**
 * The suffixes of members and NATS servers in the certificates among them; empty for one server.
 */
export function composedServerNames(spec: ClusterSpec, servers: ServerCount): ServerNames[] {
  const bus = composedBusServers(servers);
  return composedEtcd(spec, servers).map(({ name, address }, index) => ({
    suffix: `-${index + 1}`,
    dnsNames: [name, bus[index] ?? name, "localhost"],
    addresses: [address, "127.0.0.1"],
  }));
}

export function composedEtcdConfig(spec: ClusterSpec, servers: ServerCount, address: string): string {
  const addresses = composedEtcd(spec, servers).map((member) => member.address);
  const place = { address, servers: addresses };
  return stringify({
    ...etcdConfiguration(place, { pki: identityMount, dataDirectory: "/var/lib/etcd" }),
    "listen-metrics-urls": `http://${address}:${etcdMetricsPort}`,
  });
}

export function composedNatsConfig(servers: ServerCount, own: string, trust: NatsServerOptions["trust"]): string {
  const all = composedBusServers(servers);
  return natsServerConfig({
    host: "0.0.0.0",
    port: controlPorts.nats,
    healthPort,
    certFile: join(identityMount, "tls.crt"),
    keyFile: join(identityMount, "tls.key"),
    caFile: join(identityMount, "ca.crt"),
    trust,
    ...(all.length === 1 ? {} : { routing: natsRouting({ address: own, servers: all }, identityMount) }),
  });
}

/**
 * The part of an API server's configuration that differs between clusters of one and several
 * servers.
 */
export function composedApiServerConfig(spec: ClusterSpec, servers: ServerCount, index: number): string {
  const bus = composedBusServers(servers);
  const members = composedEtcd(spec, servers).map(({ address }) => address);
  const own = members[index];
  return stringify({
    apiVersion: "kintsugi.dev/v1alpha1",
    kind: "ApiServerConfiguration",
    enableAdmissionPlugins: ["DenyServiceExternalIPs"],
    natsServer: nearestFirst({ address: bus[index] ?? "nats", servers: bus }).map(
      (name) => `tls://${name}:${controlPorts.nats}`,
    ),
    ...(own === undefined
      ? {}
      : {
          etcdServers: nearestFirst({ address: own, servers: members }).map(
            (address) => `https://${address}:${serverPorts.etcd}`,
          ),
          etcdCAFile: "etcd-ca.crt",
          etcdCertFile: "etcd-client.crt",
          etcdKeyFile: "etcd-client.key",
        }),
  });
}

export function composedBalancerConfig(spec: ClusterSpec, servers: ServerCount): string {
  return haproxyConfig({
    binds: [`*:${apiPort}`],
    servers: composedApiServers(spec, servers).map(({ name, address }) => ({ name, address: `${address}:${apiPort}` })),
    caFile: join(identityMount, "ca.crt"),
    health: `127.0.0.1:${healthPort}`,
  });
}

function numbered(servers: ServerCount): number[] {
  return Array.from({ length: servers }, (_, index) => index + 1);
}

function nameOf(kind: string, number: number): string {
  return number === 1 ? kind : `${kind}-${number}`;
}
