import type { CertificateRequest, PkiDeps } from "@kintsugi/pki";
import type { ClusterSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import { serverAddresses } from "../network/addresses.ts";
import { ensureCertificates } from "./cluster-pki.ts";
import { type IdentityFiles, identityFiles } from "./identity-files.ts";

/** The authority of etcd's members and clients: no other certificate of the cluster opens etcd. */
const etcdAuthority = "etcd-ca";
/**
 * The authority of the routes among NATS servers. A route sees and sends everything, so clients'
 * certificates must not open one.
 */
const routeAuthority = "nats-route-ca";

/** Identity of an API server towards etcd, under kubeadm's name. */
const etcdClient = "api-server-etcd-client";

/** One server's place in the names of its identities: "-1" for `etcd-1`, or nothing. */
export interface ServerNames {
  readonly suffix: string;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
}

/** Makes the certificates that servers need beside those of every cluster; none without servers. */
export async function ensureServerPki(deps: PkiDeps, spec: ClusterSpec, directory: string): Promise<void> {
  const servers = (spec.servers ?? []).map((server) => ({
    suffix: `-${server.index}`,
    dnsNames: [server.name, "localhost"],
    addresses: [serverAddresses(spec, server).address, "127.0.0.1"],
  }));
  if (servers.length > 0) await ensureServerIdentities(deps, servers, directory);
}

/** Makes the same for servers by their names; authorities that are there sign. */
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

/** A server that is a machine of its own has no number in its files. */
function suffixOf(server: Pick<ServerSpec, "index"> | undefined): string {
  return server === undefined ? "" : `-${server.index}`;
}

function signedBy(pki: string, authority: string, name: string): IdentityFiles {
  return { ...identityFiles(pki, name), caFile: identityFiles(pki, authority).certFile };
}
