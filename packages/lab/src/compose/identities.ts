import type { CertificateRequest } from "@kintsugi/pki";
import { certificateRequests, withApiNames } from "../components/cluster-pki.ts";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";

// Each container of a composed cluster gets these files, in a volume of its own, mounted at
// /etc/kintsugi:
//
//   every one             tls.crt tls.key ca.crt
//   api-server            kubelet-client.crt kubelet-client.key nats-account.seed
//                         front-proxy-client.crt front-proxy-client.key front-proxy-ca.crt
//   nats                  nats.conf
//   scheduler, controller-manager, node-N: kubeconfig
//
// The authority's key is in none of them: an attacker on a node holds that node's identity and no
// other.

/**
 * Returns the address of the API server in its network: pods have to reach it without a name, which
 * only Docker's containers know.
 */
export function composedApiAddress({ subnet }: ClusterSpec): string {
  return `10.${subnet}.0.10`;
}

/** A container finds its files here. */
export const identityMount = "/etc/kintsugi";

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

export function containerIdentities(spec: ClusterSpec): ContainerIdentity[] {
  return [
    { name: "api-server", uid: nodeUid, kubeconfig: false },
    { name: "nats", uid: nodeUid, kubeconfig: false },
    { name: "scheduler", uid: nodeUid, kubeconfig: true },
    { name: "controller-manager", uid: nodeUid, kubeconfig: true },
    { name: "prometheus", uid: nobodyUid, kubeconfig: false },
    ...spec.nodes.map(({ name }) => ({ name, uid: 0, kubeconfig: true })),
  ];
}

/**
 * The certificates of a composed cluster: those of any cluster, and one for Prometheus. Containers
 * find each other by their names, and `apiNames` are further names and addresses under which the
 * API is reached.
 */
export function composedCertificateRequests(
  spec: ClusterSpec,
  apiNames: readonly string[],
): Record<string, CertificateRequest> {
  const requests: Record<string, CertificateRequest> = {
    ...withApiNames(certificateRequests(spec), [composedApiAddress(spec)]),
    prometheus: { commonName: "prometheus", organizations: ["system:monitoring"], usages: ["client"] },
  };
  const reachable = Object.entries(requests).filter(([, request]) => request.usages.includes("server"));
  for (const [name, request] of reachable) {
    requests[name] = { ...request, dnsNames: [...new Set([...(request.dnsNames ?? []), name])] };
  }
  return withApiNames(requests, apiNames);
}
