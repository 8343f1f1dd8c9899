import {
  AddressGuard,
  checkNotSpecial,
  type EndpointSlice,
  type Node,
  nodeNetworks,
  type Service,
  serviceNameLabel,
} from "@kintsugi/api";
import { type ServicePort, servicePortsOf } from "./service-ports.ts";

// CVE-2020-8554: a Service with the address of another machine as an external IP or as its load
// balancer's IP gets the packets that pods and nodes send to that machine. With an address of the
// API server, such a Service cuts every node off from its control plane. With the address of
// another Service or pod, it takes the clients of that Service or pod. So no rule directs such an
// address anywhere, regardless of the objects' contents.

/** The addresses of the cluster itself, as far as a proxy can read them. */
export interface KnownAddresses {
  /**
   * A proxy that may not list the Nodes only has its own node's addresses. Undefined before the
   * addresses are known.
   */
  readonly nodes: readonly Node[] | undefined;
  /** The servers to which this proxy itself connects. */
  readonly controlPlane: readonly string[];
}

/** An address of a Service for which no rule was written. */
export interface RefusedAddress {
  readonly service: string;
  readonly address: string;
  readonly because: string;
}

/** Returns the ports of the Services without external addresses that belong to the cluster. */
export function guardPorts(
  { services, slices }: { services: readonly Service[]; slices: readonly EndpointSlice[] },
  { nodes, controlPlane }: KnownAddresses,
): { ports: readonly ServicePort[]; refused: readonly RefusedAddress[] } {
  const ports = services.flatMap(servicePortsOf);
  if (ports.every(({ externalIps }) => externalIps.length === 0)) return { ports, refused: [] };
  // No rule is written before the owners of the addresses are known.
  if (nodes === undefined)
    return { ports: ports.map((port) => ({ ...port, externalIps: [], guardedIps: [] })), refused: [] };
  const networks = nodes.map(nodeNetworks);
  const guard = new AddressGuard([
    { owner: "the control plane", ranges: [...controlPlane, ...apiServersIn(slices)] },
    { owner: "a node", ranges: networks.flatMap(({ addresses }) => addresses) },
    { owner: "pods", ranges: networks.flatMap(({ podRanges }) => podRanges) },
    { owner: "a Service", ranges: services.flatMap(({ spec }) => spec?.clusterIPs ?? []) },
  ]);
  const refused = new Map<string, RefusedAddress>();
  const guarded = ports.map((port) => {
    const kept = port.externalIps.filter((address) => {
      const because = findFault(address, guard);
      const service = `${port.namespace}/${port.serviceName}`;
      if (because !== undefined) refused.set(`${service} ${address}`, { service, address, because });
      return because === undefined;
    });
    if (kept.length === port.externalIps.length) return port;
    return { ...port, externalIps: kept, guardedIps: port.guardedIps.filter((address) => kept.includes(address)) };
  });
  return { ports: guarded, refused: [...refused.values()] };
}

function findFault(address: string, guard: AddressGuard): string | undefined {
  const owner = guard.ownerOf(address);
  return owner === undefined ? checkNotSpecial(address)[0] : `is an address of ${owner}`;
}

/** Reports whether a rule may depend on the addresses of the cluster. */
export function hasExternalAddress({ spec, status }: Service): boolean {
  return (spec?.externalIPs ?? []).length > 0 || (status?.loadBalancer?.ingress ?? []).length > 0;
}

/** The endpoints of the Service `kubernetes`. */
function apiServersIn(slices: readonly EndpointSlice[]): string[] {
  return slices
    .filter(
      ({ metadata: { namespace, labels } }) => namespace === "default" && labels?.[serviceNameLabel] === "kubernetes",
    )
    .flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses));
}
