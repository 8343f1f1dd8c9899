import { type Endpoint, type EndpointSlice, type Service, serviceNameLabel } from "@kintsugi/api";

/** A local copy of objects, found by name and by index; an informer is such a copy. */
export interface IndexedCopy<T> {
  readonly synced: boolean;
  find(key: { namespace: string; name: string }): T | undefined;
  byIndex(index: string, value: string): readonly T[];
}

/** The indexes that the copy of Services needs. */
export const serviceIndexes = {
  namespace: (service: Service) => [service.metadata.namespace ?? ""],
  address: clusterIpsOf,
} as const;

/** The Service's own addresses; "None" for a headless Service. */
export function clusterIpsOf({ spec = {} }: Service): readonly string[] {
  return spec.clusterIPs ?? (spec.clusterIP === undefined ? [] : [spec.clusterIP]);
}

/** The indexes that the copy of EndpointSlices needs. */
export const sliceIndexes = {
  service: ({ metadata }: EndpointSlice) => [`${metadata.namespace}/${metadata.labels?.[serviceNameLabel] ?? ""}`],
  address: ({ endpoints = [] }: EndpointSlice) => endpoints.flatMap(({ addresses }) => addresses.slice(0, 1)),
} as const;

/** The Services and endpoints that have names. */
export class ServiceDirectory {
  readonly #services: IndexedCopy<Service>;
  readonly #slices: IndexedCopy<EndpointSlice>;

  constructor(copies: { services: IndexedCopy<Service>; slices: IndexedCopy<EndpointSlice> }) {
    this.#services = copies.services;
    this.#slices = copies.slices;
  }

  /**
   * True when both copies have their first list. Before that time, a name is never reported as
   * missing.
   */
  get synced(): boolean {
    return this.#services.synced && this.#slices.synced;
  }

  find(namespace: string, name: string): Service | undefined {
    return this.#services.find({ namespace, name });
  }

  hasNamespace(namespace: string): boolean {
    return this.#services.byIndex("namespace", namespace).length > 0;
  }

  withAddress(address: string): readonly Service[] {
    return this.#services.byIndex("address", address);
  }

  /**
   * The usable endpoints of a Service, each with the ports of its slice; an address in two slices
   * counts once.
   */
  readyEndpoints(service: Service): NamedEndpoint[] {
    const { namespace, name } = service.metadata;
    return once(this.#slices.byIndex("service", `${namespace}/${name}`).flatMap(readyEndpointsOf));
  }

  /** The ready endpoints at an address. */
  endpointsAt(address: string): NamedEndpoint[] {
    const all = this.#slices.byIndex("address", address).flatMap(readyEndpointsOf);
    return all.filter((endpoint) => endpoint.address === address);
  }
}

export interface NamedEndpoint {
  readonly namespace: string;
  readonly service: string;
  /** The endpoint's own name below the Service's name. */
  readonly hostname: string;
  readonly address: string;
  readonly ports: NonNullable<EndpointSlice["ports"]>;
}

function readyEndpointsOf(slice: EndpointSlice): NamedEndpoint[] {
  const { namespace = "", labels = {} } = slice.metadata;
  const service = labels[serviceNameLabel];
  // Only IPv4 slices are read, because pods have only IPv4 addresses.
  if (service === undefined || slice.addressType !== "IPv4") return [];
  return (slice.endpoints ?? []).flatMap((endpoint) => {
    const [address] = endpoint.addresses;
    // "In general, nil should be interpreted as ready" (discovery/v1).
    if (address === undefined || endpoint.conditions?.ready === false) return [];
    return { namespace, service, hostname: hostnameOf(endpoint, address), address, ports: slice.ports ?? [] };
  });
}

/** CoreDNS's rule: 10.64.1.2 is "10-64-1-2" if its pod has no hostname. */
function hostnameOf({ hostname }: Endpoint, address: string): string {
  return hostname !== undefined && hostname !== "" ? hostname.toLowerCase() : address.replaceAll(".", "-");
}

function once(endpoints: readonly NamedEndpoint[]): NamedEndpoint[] {
  const found = new Map<string, NamedEndpoint>();
  for (const endpoint of endpoints) {
    const before = found.get(endpoint.address);
    // An endpoint with its own port number may be in a slice of other ports.
    const ports = before === undefined ? endpoint.ports : [...before.ports, ...endpoint.ports];
    found.set(endpoint.address, { ...endpoint, ports });
  }
  return [...found.values()];
}
