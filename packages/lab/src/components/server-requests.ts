import type { CertificateRequest } from "@kintsugi/pki";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, serverAddresses } from "../network/addresses.ts";

/** The serving certificates of servers, by file name, which the cluster's authority signs. */
export function serverRequests(
  spec: ClusterSpec,
  apiServer: CertificateRequest,
): Readonly<Record<string, CertificateRequest>> {
  const requests: Record<string, CertificateRequest> = {};
  for (const server of spec.servers ?? []) {
    const { address } = serverAddresses(spec, server);
    const own = ["127.0.0.1", address];
    // The load balancer passes connections through, so the certificate contains the host's
    // addresses too.
    requests[`api-server-${server.index}`] = { ...apiServer, ipAddresses: [...(apiServer.ipAddresses ?? []), address] };
    requests[`nats-${server.index}`] = {
      commonName: "nats",
      usages: ["server"],
      dnsNames: [server.name, "localhost"],
      ipAddresses: own,
    };
  }
  return requests;
}

/**
 * The addresses at which scheduler and controller-manager serve, in addition to the addresses of
 * the host.
 */
export function placementAddresses(spec: ClusterSpec): string[] {
  return [
    clusterAddresses(spec).gateway,
    ...(spec.servers ?? []).map((server) => serverAddresses(spec, server).address),
  ];
}
