import type { BusTrust } from "./bus-authority.ts";

export interface NatsServerOptions {
  host: string;
  /** 0 lets the system choose; then `portsDirectory` has the chosen port. */
  port: number;
  certFile: string;
  keyFile: string;
  caFile: string;
  trust: BusTrust;
  portsDirectory?: string;
  /** Port on 127.0.0.1 for /healthz, without TLS; if absent, health is not served. */
  healthPort?: number;
  /** The other servers of its cluster; absent for a single server. */
  routing?: NatsRouting;
}

/** The routes among the servers of one bus. */
interface NatsRouting {
  /** Name of the cluster; servers of another cluster are rejected. */
  cluster: string;
  /** Name of this server, unique in the cluster. */
  server: string;
  /** Port for the other servers, on the same address as the port for clients. */
  port: number;
  /** The other servers: "tls://192.0.2.11:6222". */
  routes: readonly string[];
  /**
   * The certificate is for both ends of a route, from an authority that is used only for routes.
   */
  certFile: string;
  keyFile: string;
  caFile: string;
}

/** Objects are sent up to 256 KiB; the rest is the overhead of envelope and JSON. */
const payloadMaxBytes = 512 * 1024;
/**
 * The bytes that may wait for one subscriber before it is disconnected and has to read again from
 * the API server.
 */
const pendingMaxBytes = 32 * 1024 * 1024;

/**
 * The configuration of nats-server 2.9 and later: users are authenticated by tokens that the
 * account has signed, over TLS only.
 */
export function natsServerConfig(options: NatsServerOptions): string {
  const { trust } = options;
  return `host: ${quote(options.host)}
port: ${options.port}
${options.portsDirectory === undefined ? "" : `ports_file_dir: ${quote(options.portsDirectory)}\n`}${options.healthPort === undefined ? "" : `http: "127.0.0.1:${options.healthPort}"\n`}tls {
  cert_file: ${quote(options.certFile)}
  key_file: ${quote(options.keyFile)}
  ca_file: ${quote(options.caFile)}
  timeout: 5
}
operator: ${quote(trust.operatorJwt)}
resolver: MEMORY
resolver_preload: {
  ${trust.accountPublicKey}: ${quote(trust.accountJwt)}
}
max_payload: ${payloadMaxBytes}
max_pending: ${pendingMaxBytes}
max_connections: 4096
ping_interval: "10s"
ping_max: 2
write_deadline: "5s"
${options.routing === undefined ? "" : routingConfig(options.host, options.routing)}`;
}

/**
 * Every server connects to every other server. A certificate of the routes' own authority opens
 * only routes, because the server at the other end has already checked the messages of a route.
 */
function routingConfig(host: string, { cluster, server, port, routes, ...files }: NatsRouting): string {
  return `server_name: ${quote(server)}
cluster {
  name: ${quote(cluster)}
  listen: ${quote(`${host}:${port}`)}
  tls {
    cert_file: ${quote(files.certFile)}
    key_file: ${quote(files.keyFile)}
    ca_file: ${quote(files.caFile)}
    verify: true
    timeout: 5
  }
  routes: [${routes.map(quote).join(", ")}]
}
`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
