import { isIP } from "node:net";
import type { CertificateRequest } from "@kintsugi/pki";
import type { ClusterSpec } from "../cluster/cluster-spec.ts";
import { clusterAddresses, nodeAddresses } from "../network/addresses.ts";
import { servicesOfHost } from "./host-programs.ts";
import { placementAddresses, serverRequests } from "./server-requests.ts";

/** Lists the certificates of a cluster by file name. Users and groups are upstream's. */
export function certificateRequests(spec: ClusterSpec): Record<string, CertificateRequest> {
  const addresses = placementAddresses(spec);
  const common = controlPlaneRequests({ addresses, serviceAddress: firstServiceAddress(spec) });
  const requests: Record<string, CertificateRequest> = { ...common, ...serverRequests(spec, common["api-server"]) };
  for (const node of spec.nodes) {
    const { address } = nodeAddresses(spec, node);
    requests[node.name] = {
      commonName: `system:node:${node.name}`,
      organizations: ["system:nodes"],
      usages: ["client", "server"],
      dnsNames: [node.name],
      ipAddresses: [address],
    };
  }
  return requests;
}

/** Returns only the certificate requests of a control plane, which is reached at `addresses`. */
export function controlPlaneRequests(context: { addresses: readonly string[]; serviceAddress: string }) {
  const local = { dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", ...context.addresses] };
  return {
    "api-server": {
      commonName: "kube-apiserver",
      usages: ["server"],
      dnsNames: [
        "localhost",
        "kubernetes",
        "kubernetes.default",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
      ],
      ipAddresses: ["127.0.0.1", ...context.addresses, context.serviceAddress],
    },
    "api-server-kubelet-client": {
      commonName: "kube-apiserver-kubelet-client",
      organizations: ["kubeadm:cluster-admins"],
      usages: ["client"],
    },
    nats: { commonName: "nats", usages: ["server"], ...local },
    admin: { commonName: "kubernetes-admin", organizations: ["system:masters"], usages: ["client"] },
    scheduler: { commonName: "system:kube-scheduler", usages: ["client", "server"], ...local },
    "controller-manager": { commonName: "system:kube-controller-manager", usages: ["client", "server"], ...local },
    ...serviceRequests(local),
    proxy: { commonName: "system:kube-proxy", organizations: ["system:node-proxier"], usages: ["client"] },
  } satisfies Record<string, CertificateRequest>;
}

/** Returns the requests with additional names and addresses of the API. */
export function withApiNames(
  requests: Readonly<Record<string, CertificateRequest>>,
  apiNames: readonly string[],
): Record<string, CertificateRequest> {
  const api = requests["api-server"];
  if (!api) return requests;
  const isAddress = (name: string) => isIP(name) !== 0;
  return {
    ...requests,
    "api-server": {
      ...api,
      dnsNames: [...(api.dnsNames ?? []), ...apiNames.filter((name) => !isAddress(name))],
      ipAddresses: [...(api.ipAddresses ?? []), ...apiNames.filter(isAddress)],
    },
  };
}

/** Returns the certificate requests of the programs on the host that have their own identity. */
function serviceRequests(
  local: Pick<CertificateRequest, "dnsNames" | "ipAddresses">,
): Record<string, CertificateRequest> {
  return Object.fromEntries(
    servicesOfHost.map((name) => [name, { commonName: `kintsugi:${name}`, usages: ["client", "server"], ...local }]),
  );
}

function firstServiceAddress(spec: ClusterSpec): string {
  return clusterAddresses(spec).serviceNetwork.replace(/0\/\d+$/, "1");
}
