import type { CertificateRequest, PkiDeps } from "@kintsugi/pki";
import type { ClusterSpec, ServerSpec } from "../cluster/cluster-spec.ts";
import { serverAddresses } from "../network/addresses.ts";
import { ensureCertificates, type IdentityFiles, identityFiles } from "./cluster-pki.ts";

/** The authority of etcd's members and clients: no other certificate of the cluster opens etcd. */
const etcdAuthority = "etcd-ca";
/**
 * The authority of the routes among NATS servers. A route sees and sends everything, so clients'
 * certificates must not open one.
 */
const routeAuthority = "nats-route-ca";

/** Identity of an API server towards etcd, under kubeadm's name. */
const etcdClient = "api-server-etcd-client";

/** Makes the certificates that servers need beside those of every cluster; none without servers. */
export async function ensureServerPki(deps: PkiDeps, spec: ClusterSpec, directory: string): Promise<void> {
  const { servers = [] } = spec;
  if (servers.length === 0) return;
  const pair = (commonName: string, server: ServerSpec): CertificateRequest => ({
    commonName,
    usages: ["client", "server"],
    dnsNames: [server.name, "localhost"],
    ipAddresses: [serverAddresses(spec, server).address, "127.0.0.1"],
  });
  const ofServers = (name: string) =>
    Object.fromEntries(servers.map((server) => [`${name}-${server.index}`, pair(`${name}-${server.index}`, server)]));
  await ensureCertificates(
    deps,
    { ...ofServers("etcd"), [etcdClient]: { commonName: etcdClient, usages: ["client"] } },
    { directory, authority: etcdAuthority },
  );
  await ensureCertificates(deps, ofServers("nats-route"), { directory, authority: routeAuthority });
}

export function etcdFiles(pki: string, server: ServerSpec): IdentityFiles {
  return signedBy(pki, etcdAuthority, `etcd-${server.index}`);
}

export function etcdClientFiles(pki: string): IdentityFiles {
  return signedBy(pki, etcdAuthority, etcdClient);
}

export function natsRouteFiles(pki: string, server: ServerSpec): IdentityFiles {
  return signedBy(pki, routeAuthority, `nats-route-${server.index}`);
}

function signedBy(pki: string, authority: string, name: string): IdentityFiles {
  return { ...identityFiles(pki, name), caFile: identityFiles(pki, authority).certFile };
}
