import { isIPv4 } from "node:net";
import { type EndpointSlice, headlessLabel, serviceNameLabel } from "@kintsugi/api";
import { serviceProxyNameLabel } from "./service-ports.ts";

/** An endpoint of a port of a Service. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  /** True where the endpoint is on this proxy's node. */
  readonly isLocal: boolean;
  /** The zones and nodes in its hints. */
  readonly zones: readonly string[];
  readonly nodes: readonly string[];
}

/** The endpoints by `endpointsKey`. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>;

/** "namespace/service/port name/PROTOCOL": the key that joins slices to the ports of Services. */
export function endpointsKey(endpoint: { namespace: string; service: string; port: string; protocol: string }): string {
  return `${endpoint.namespace}/${endpoint.service}/${endpoint.port}/${endpoint.protocol.toUpperCase()}`;
}

/**
 * Lists all endpoints of the slices, in the order of their addresses. An endpoint in two slices, as
 * while it moves from one slice to the other, is listed once, and is ready if one of the slices
 * lists it as ready. Only IPv4, because the cluster does not use other addresses.
 */
export function endpointsOf(slices: readonly EndpointSlice[], nodeName: string): EndpointsByPort {
  const found = new Map<string, Map<string, Endpoint>>();
  for (const slice of slices) {
    const { labels = {}, namespace = "" } = slice.metadata;
    const service = labels[serviceNameLabel];
    if (service === undefined || slice.addressType !== "IPv4") continue;
    if (labels[headlessLabel] !== undefined || labels[serviceProxyNameLabel] !== undefined) continue;
    for (const { name = "", port, protocol = "TCP" } of slice.ports ?? []) {
      if (port === undefined) continue;
      const key = endpointsKey({ namespace, service, port: name, protocol });
      const endpoints = found.get(key) ?? new Map<string, Endpoint>();
      found.set(key, endpoints);
      for (const endpoint of endpointsIn(slice, port, nodeName)) {
        const id = `${endpoint.address}:${port}`;
        const known = endpoints.get(id);
        if (known === undefined || (endpoint.ready && !known.ready)) endpoints.set(id, endpoint);
      }
    }
  }
  return new Map([...found].map(([key, endpoints]) => [key, [...endpoints.values()].toSorted(byAddress)]));
}

function endpointsIn(slice: EndpointSlice, port: number, nodeName: string): Endpoint[] {
  return (slice.endpoints ?? []).flatMap(({ addresses, conditions = {}, hints, nodeName: itsNode }) => {
    // Further addresses have no meaning (EndpointSlice's documentation), because a client could
    // only guess which address to use.
    const [address = ""] = addresses;
    if (!isIPv4(address)) return [];
    const ready = conditions.ready ?? true;
    return {
      address,
      port,
      ready,
      serving: conditions.serving ?? ready,
      terminating: conditions.terminating ?? false,
      isLocal: itsNode === nodeName,
      zones: (hints?.forZones ?? []).map(({ name }) => name),
      nodes: (hints?.forNodes ?? []).map(({ name }) => name),
    };
  });
}

function byAddress(a: Endpoint, b: Endpoint): number {
  return a.address === b.address ? a.port - b.port : a.address < b.address ? -1 : 1;
}
