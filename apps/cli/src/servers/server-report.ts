import { get } from "node:https";
import { leases } from "@kintsugi/api";
import {
  etcdClientFiles,
  type Identity,
  type KnownCluster,
  readIdentity,
  readIdentityFiles,
  serverAddresses,
  serverPorts,
  type ServerState,
} from "@kintsugi/lab";
import { adminClient } from "../base/cluster-access.ts";
import type { CommandContext } from "../base/command.ts";

/** The state of a server as its supervisor records it, and as its processes report. */
export interface ServerReport {
  name: string;
  power: string;
  /** "up", "down", or the parts that the server cannot reach: "up, not to etcd". */
  link: string;
  api: "ready" | "not ready" | "silent";
  etcd: EtcdRole;
  /** The programs whose Lease a process of this server holds. */
  leads: string[];
}

type EtcdRole = "leader" | "member" | "without leader" | "silent";

/**
 * A server that does not answer within this time is silent: a cut cable does not refuse
 * connections.
 */
const patienceMs = 2_000;
/** Limit on a page of metrics, which is about 100 KiB. */
const bodyBytesMax = 4 * 1024 * 1024;

/**
 * The Leases in kube-system of programs that elect a leader, with the names of the programs here.
 */
const leaders: Readonly<Record<string, string>> = {
  "kube-scheduler": "scheduler",
  "kube-controller-manager": "controller-manager",
  "kintsugi-api-server": "api-server",
};

/** Reads the state of each server of a cluster; empty if the control plane runs on the host. */
export async function reportOnServers(
  context: CommandContext,
  { spec, paths }: KnownCluster,
  states: Readonly<Record<string, ServerState>>,
): Promise<ServerReport[]> {
  const { servers = [] } = spec;
  if (servers.length === 0) return [];
  const [apiTls, etcdTls, holders] = await Promise.all([
    readIdentity(paths.pki, "admin"),
    readIdentityFiles(etcdClientFiles(paths.pki)),
    leaseHolders(context, { spec, paths }),
  ]);
  return await Promise.all(
    servers.map(async (server) => {
      const { address } = serverAddresses(spec, server);
      const [ready, metrics] = await Promise.all([
        fetchText(`https://${address}:${spec.apiPort}/readyz`, apiTls),
        fetchText(`https://${address}:${serverPorts.etcd}/metrics`, etcdTls),
      ]);
      return {
        name: server.name,
        ...describeState(states[server.name]),
        api: ready === undefined ? "silent" : ready.status === 200 ? "ready" : "not ready",
        etcd: etcdRole(metrics?.body),
        leads: holders.filter(({ holder }) => holder.startsWith(`${server.name}_`)).map(({ program }) => program),
      } as const;
    }),
  );
}

/** The rows of a table of servers, with its header first. */
export function serverRows(servers: readonly ServerReport[]): [head: string[], rows: string[][]] {
  return [
    ["SERVER", "POWER", "LINK", "API", "ETCD", "LEADS"],
    servers.map(({ name, power, link, api, etcd, leads }) => [name, power, link, api, etcd, leads.join(", ") || "-"]),
  ];
}

/** The role of an etcd member, from its metrics; undefined if it did not answer. */
export function etcdRole(metrics: string | undefined): EtcdRole {
  if (metrics === undefined) return "silent";
  const value = (name: string) => new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1];
  if (value("etcd_server_has_leader") !== "1") return "without leader";
  return value("etcd_server_is_leader") === "1" ? "leader" : "member";
}

function describeState(state: ServerState | undefined): { power: string; link: string } {
  if (state === undefined) return { power: "?", link: "?" };
  const { power, link, cut } = state;
  const away = cut === "servers" ? "the other servers" : cut;
  return { power, link: away === undefined ? link : `${link}, not to ${away}` };
}

async function leaseHolders(
  context: CommandContext,
  cluster: KnownCluster,
): Promise<{ program: string; holder: string }[]> {
  const client = adminClient(context, cluster);
  try {
    const signal = AbortSignal.timeout(patienceMs);
    const { items } = await client.list(leases, { namespace: "kube-system", signal });
    return items.flatMap(({ metadata, spec }) => {
      const program = leaders[metadata.name ?? ""];
      return program === undefined ? [] : [{ program, holder: spec?.holderIdentity ?? "" }];
    });
  } catch {
    return [];
  } finally {
    await client.close();
  }
}

function fetchText(url: string, tls: Identity): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const request = get(url, { ...tls, agent: false, signal }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
        if (body.length > bodyBytesMax) request.destroy();
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", () => resolve(undefined));
      response.on("close", () => resolve(undefined));
    });
    request.on("error", () => resolve(undefined));
  });
}
