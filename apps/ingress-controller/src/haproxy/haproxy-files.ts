import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Backend, RoutePlan, RouteTable } from "../plan/route-plan.ts";

interface FrontAddress {
  readonly address: string;
  readonly port: number;
}

export interface HaproxyFileOptions {
  /**
   * The directory in which the files will be; at most 60 characters, because of the sockets in it.
   */
  readonly directory: string;
  readonly http: FrontAddress;
  readonly https: FrontAddress;
  /** Certificate and key, PEM, for hosts without a certificate in an Ingress. */
  readonly ownCertificate: string;
  /** The user of the worker processes; undefined: the user who starts the server. */
  readonly user: string | undefined;
}

/** Answers 200 on this socket when the routes of its directory are served. */
export const readySocket = "ready.sock";
export const configFile = "haproxy.cfg";

/** Limit of open connections. Each holds two buffers of 16 KiB while a request is in progress. */
const connectionsMax = 4096;
/**
 * Limit of open connections of one client address. All clients of a load balancer in front share
 * its address.
 */
const connectionsMaxOfClient = connectionsMax / 4;

/**
 * Renders routes as HAProxy's files, by name. Users' texts are written only to maps and lists, one
 * word a line, and never to the configuration itself, so a host, path or Secret cannot add a line
 * to it.
 */
export function haproxyFiles(plan: RoutePlan, options: HaproxyFileOptions): Map<string, string> {
  const files = new Map<string, string>([["own.pem", options.ownCertificate]]);
  const ids = new Map(plan.tables.map(({ host }, index) => [host, `t${index}`]));
  const tables = plan.tables.map((table) => ({ ...table, id: ids.get(table.host) ?? "" }));
  files.set("hosts.map", lines(tables.filter(isNamed).map(({ host, id }) => [host, id])));
  files.set("wildcards.map", lines(tables.filter(isWildcard).map(({ host, id }) => [host.slice(1), id])));
  files.set("exact.map", lines(tables.flatMap(({ id, exact }) => keyed(id, exact))));
  files.set("prefixes.map", lines(tables.flatMap(({ id, prefixes }) => keyed(id, prefixes))));
  const otherwise = tables.flatMap(({ id, otherwise: name }) => (name === undefined ? [] : [[id, name] as const]));
  files.set("otherwise.map", lines(otherwise));
  const certificates = plan.certificates.map((each) => ({ ...each, file: certificateFile(each.name) }));
  for (const { file, pem } of certificates) files.set(file, pem);
  // The first entry is for clients whose name has no entry.
  const everyone = certificates.find(({ hosts }) => hosts.includes(""));
  const listed = certificates.flatMap(({ file, hosts }) => {
    const names = hosts.filter((host) => host !== "");
    return names.length === 0 ? [] : [`${join(options.directory, file)} [] ${names.join(" ")}`];
  });
  const first = join(options.directory, everyone?.file ?? "own.pem");
  files.set("certificates.list", [first, ...listed, ""].join("\n"));
  files.set(configFile, configuration(plan, options, ids.get("")));
  return files;
}

/**
 * Returns the certificate of a plan whose file is named in the text, which is an error of HAProxy.
 */
export function certificateIn(plan: RoutePlan, text: string): string | undefined {
  return plan.certificates.find(({ name }) => text.includes(certificateFile(name)))?.name;
}

function certificateFile(name: string): string {
  return `${createHash("sha256").update(name).digest("hex").slice(0, 32)}.pem`;
}

const isWildcard = ({ host }: RouteTable) => host.startsWith("*.");
const isNamed = (table: RouteTable) => table.host !== "" && !isWildcard(table);

function keyed(id: string, routes: ReadonlyMap<string, string>): [string, string][] {
  return [...routes].map(([path, name]) => [`${id}${path}`, name]);
}

function lines(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([key, value]) => `${key} ${value}\n`).join("");
}

function configuration(plan: RoutePlan, options: HaproxyFileOptions, anyTable: string | undefined): string {
  const { directory, http, https, user } = options;
  const file = (name: string) => join(directory, name);
  const unless = (name: string) => `unless { var(txn.${name}) -m found }`;
  const at = ({ address, port }: FrontAddress) => `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return `global
  maxconn ${connectionsMax}
  # Workers with earlier routes end the connections that they still have.
  hard-stop-after 30s
  mworker-max-reloads 20
  ssl-default-bind-options ssl-min-ver TLSv1.2
${user === undefined ? "" : `  user ${user}\n`}
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout http-request 10s
  timeout http-keep-alive 30s
  timeout queue 5s
  timeout tunnel 1h
  # A connection to an endpoint that has just gone is tried at another endpoint; requests that were sent are not repeated.
  retries 3
  option redispatch 1
  option forwardfor

frontend ingress
  bind ${at(http)}
  bind ${at(https)} ssl crt-list ${file("certificates.list")} alpn h2,http/1.1
  # The slow connections of one client do not block other clients.
  stick-table type ipv6 size 100k expire 10m store conn_cur
  tcp-request connection track-sc0 src
  tcp-request connection reject if { sc0_conn_cur gt ${connectionsMaxOfClient} }
  # A backend would trust these headers even if a client had set them.
  http-request del-header X-Forwarded-For
  http-request set-header X-Forwarded-Proto https if { ssl_fc }
  http-request set-header X-Forwarded-Proto http unless { ssl_fc }
  http-request set-header X-Forwarded-Host %[req.hdr(host)]
  # A server that resolves such a path would leave the prefix of its route.
  http-request deny deny_status 400 if { path,url_dec -m reg (^|/)\\.\\.(/|$) }
  http-request set-var(txn.host) req.hdr(host),field(1,:),lower
  http-request set-var(txn.path) path
  http-request set-var(txn.table) var(txn.host),map_str(${file("hosts.map")})
  http-request set-var(txn.table) var(txn.host),regsub(^[^.]*,),map_str(${file("wildcards.map")}) ${unless("table")}
${anyTable === undefined ? "" : `  http-request set-var(txn.table) str(${anyTable}) ${unless("table")}\n`}\
  http-request set-var(txn.backend) var(txn.table),concat(,txn.path),map_str(${file("exact.map")})
  http-request set-var(txn.backend) var(txn.table),concat(,txn.path,/),map_beg(${file("prefixes.map")}) ${unless("backend")}
  http-request set-var(txn.backend) var(txn.table),map_str(${file("otherwise.map")}) ${unless("backend")}
  use_backend %[var(txn.backend)] if { var(txn.backend) -m found }
  default_backend ${plan.defaultBackend ?? "none"}

frontend ready
  bind unix@${file(readySocket)} mode 600
  http-request return status 200

backend none
  http-request deny deny_status 404
${plan.backends.map(backendSection).join("")}`;
}

function backendSection({ name, servers }: Backend): string {
  const each = servers.map(({ address, port }, index) => {
    const host = address.includes(":") ? `[${address}]` : address;
    return `  server s${index} ${host}:${port}\n`;
  });
  return `\nbackend ${name}\n${each.join("")}`;
}
