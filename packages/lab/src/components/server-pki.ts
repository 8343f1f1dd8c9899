import type { CertificateRequest, PkiDeps } from "@kintsugi/pki";
import type { ClusterSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import { serverAddresses } from "../network/addresses.ts";
import { ensureCertificates } from "./cluster-pki.ts";
import { type IdentityFiles, identityFiles } from "./identity-files.ts";

/**
 * The authority of etcd's members and clients: etcd rejects all other certificates of the cluster.
 */
const etcdAuthority = "etcd-ca";
/**
 * The authority of the routes among NATS servers. A route receives and sends every message, so
 * clients' certificates must not open a route.
 */
const routeAuthority = "nats-route-ca";

/** Identity of an API server towards etcd, with kubeadm's name. */
const etcdClient = "api-server-etcd-client";

/** The suffix of a server's identities: "-1" for `etcd-1`, or "". */
export interface ServerNames {
  readonly suffix: string;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

/**
 * Creates the certificates that servers need in addition to the certificates of every cluster, for
 * a cluster with servers.
 */
export async function ensureServerPki(deps: PkiDeps, spec: ClusterSpec, directory: string): Promise<void> {
  const servers = (spec.servers ?? []).map((server) => ({
    suffix: `-${server.index}`,
    dnsNames: [server.name, "localhost"],
    addresses: [serverAddresses(spec, server).address, "127.0.0.1"],
  }));
  if (servers.length > 0) await ensureServerIdentities(deps, servers, directory);
}

/** Creates the same certificates for servers by their names; existing authorities sign them. */
export async function ensureServerIdentities(
  deps: PkiDeps,
  servers: readonly ServerNames[],
  directory: string,
): Promise<void> {
  const ofServers = (name: string) =>
    Object.fromEntries(
      servers.map(({ suffix, dnsNames, addresses }): [string, CertificateRequest] => [
        `${name}${suffix}`,
        { commonName: `${name}${suffix}`, usages: ["client", "server"], dnsNames, ipAddresses: addresses },
      ]),
    );
  await ensureCertificates(
    deps,
    { ...ofServers("etcd"), [etcdClient]: { commonName: etcdClient, usages: ["client"] } },
    { directory, authority: etcdAuthority },
  );
  await ensureCertificates(deps, ofServers("nats-route"), { directory, authority: routeAuthority });
}

export function etcdFiles(pki: string, server: Pick<ServerSpec, "index"> | undefined): IdentityFiles {
  return signedBy(pki, etcdAuthority, `etcd${suffixOf(server)}`);
}

export function etcdClientFiles(pki: string): IdentityFiles {
  return signedBy(pki, etcdAuthority, etcdClient);
}

export function natsRouteFiles(pki: string, server: Pick<ServerSpec, "index"> | undefined): IdentityFiles {
  return signedBy(pki, routeAuthority, `nats-route${suffixOf(server)}`);
}

/** A server that is a machine of its own has no number in its file names. */
function suffixOf(server: Pick<ServerSpec, "index"> | undefined): string {
  return server === undefined ? "" : `-${server.index}`;
}

function signedBy(pki: string, authority: string, name: string): IdentityFiles {
  return { ...identityFiles(pki, name), caFile: identityFiles(pki, authority).certFile };
}
