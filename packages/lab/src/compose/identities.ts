import type { CertificateRequest } from "@kintsugi/pki";
import { certificateRequests, withApiNames } from "../components/certificate-requests.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { composedApiServers, composedBusServers, composedEtcd, composedPair } from "./composed-servers.ts";

// Each container of a composed cluster gets these files, in a volume of its own, mounted at
// /etc/kintsugi:
//
//   every container       tls.crt tls.key ca.crt
//   api-server            api-server.yaml kubelet-client.crt kubelet-client.key nats-account.seed
//                         front-proxy-client.crt front-proxy-client.key front-proxy-ca.crt
//   nats                  nats.conf
//   scheduler, controller-manager, node-N: kubeconfig
//   of several servers    api-server: etcd-client.crt etcd-client.key etcd-ca.crt
//                         nats: nats-route.crt nats-route.key nats-route-ca.crt
//   etcd-N                etcd.yaml etcd.crt etcd.key etcd-ca.crt, without the files above
//   balancer              haproxy.cfg ca.crt, without a certificate
//
// The authority's key is not in any container, so an attacker on a node gets only that node's
// identity.

export interface ContainerIdentity {
  /** Name of the container, of its directory, and of its certificate. */
  readonly name: string;
  /** The user of the container's process, who owns the files. */
  readonly uid: number;
  readonly kubeconfig: boolean;
}

/** User and group `node` of the base image. */
const nodeUid = 1000;
/** The user of Prometheus' image. */
const nobodyUid = 65_534;
/** The user of HAProxy's image. */
const haproxyUid = 99;

export function containerIdentities(spec: ClusterSpec, servers = 1): ContainerIdentity[] {
  const service = (name: string) => ({ name, uid: nodeUid, kubeconfig: false });
  const client = (name: string) => ({ name, uid: nodeUid, kubeconfig: true });
  return [
    ...composedApiServers(spec, servers).map(({ name }) => service(name)),
    ...composedBusServers(servers).map(service),
    ...composedPair("scheduler", servers).map(client),
    ...composedPair("controller-manager", servers).map(client),
    { name: "prometheus", uid: nobodyUid, kubeconfig: false },
    ...spec.nodes.map(({ name }) => ({ name, uid: 0, kubeconfig: true })),
  ];
}

/** The containers that have files but no identity in the cluster. */
export function filedContainers(spec: ClusterSpec, servers: number): { name: string; uid: number }[] {
  if (servers === 1) return [];
  return [
    ...composedEtcd(spec, servers).map(({ name }) => ({ name, uid: nodeUid })),
    { name: "balancer", uid: haproxyUid },
  ];
}

/**
 * The certificates of a composed cluster: the certificates of any cluster, and a certificate for
 * Prometheus. Containers find each other by their names, and `apiNames` are additional names and
 * addresses of the API.
 */
export function composedCertificateRequests(
  spec: ClusterSpec,
  apiNames: readonly string[],
  servers = 1,
): Record<string, CertificateRequest> {
  const apiServers = composedApiServers(spec, servers);
  const requests: Record<string, CertificateRequest> = {
    ...withApiNames(
      certificateRequests(spec),
      apiServers.map(({ address }) => address),
    ),
    prometheus: { commonName: "prometheus", organizations: ["system:monitoring"], usages: ["client"] },
  };
  // The other containers of a kind have the same certificate as the first container, with their own
  // names.
  const further = {
    "api-server": apiServers.map(({ name }) => name),
    nats: composedBusServers(servers),
    scheduler: composedPair("scheduler", servers),
    "controller-manager": composedPair("controller-manager", servers),
  };
  for (const [kind, names] of Object.entries(further)) {
    const first = requests[kind];
    if (first !== undefined) for (const name of names) requests[name] = first;
  }
  const reachable = Object.entries(requests).filter(([, request]) => request.usages.includes("server"));
  for (const [name, request] of reachable) {
    requests[name] = { ...request, dnsNames: [...new Set([...(request.dnsNames ?? []), name])] };
  }
  // The load balancer passes connections through, so each server's certificate has the names of all
  // servers.
  for (const { name } of apiServers) {
    const own = requests[name];
    if (own !== undefined) requests[name] = withApiNames({ "api-server": own }, apiNames)["api-server"] ?? own;
  }
  return requests;
}
