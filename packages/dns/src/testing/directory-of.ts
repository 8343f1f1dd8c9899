import type { EndpointSlice, Service, ServiceSpec } from "@kintsugi/api";
import { type IndexedCopy, ServiceDirectory, serviceIndexes, sliceIndexes } from "../service-directory.ts";

/** A Service in the namespace `shop`. */
export function aService(name: string, spec: ServiceSpec): Service {
  return { apiVersion: "v1", kind: "Service", metadata: { namespace: "shop", name }, spec };
}

export interface EndpointParts {
  address: string;
  hostname?: string;
  ready?: boolean;
}

/** A slice of a Service in the namespace `shop`, with the port sql on 5432. */
export function aSlice(
  service: string,
  endpoints: readonly EndpointParts[],
  { name = `${service}-abcde`, ports = [{ name: "sql", port: 5432, protocol: "TCP" }] }: Partial<SliceParts> = {},
): EndpointSlice {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace: "shop", name, labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    endpoints: endpoints.map(({ address, hostname, ready }) => ({
      addresses: [address],
      ...(hostname === undefined ? {} : { hostname }),
      ...(ready === undefined ? {} : { conditions: { ready } }),
    })),
    ports,
  };
}

interface SliceParts {
  name: string;
  ports: NonNullable<EndpointSlice["ports"]>;
}

export function directoryOf(
  services: readonly Service[],
  slices: readonly EndpointSlice[] = [],
  synced = true,
): ServiceDirectory {
  return new ServiceDirectory({
    services: copyOf(services, serviceIndexes, synced),
    slices: copyOf(slices, sliceIndexes, synced),
  });
}

function copyOf<T extends Service | EndpointSlice>(
  objects: readonly T[],
  indexes: Readonly<Record<string, (object: T) => readonly string[]>>,
  synced: boolean,
): IndexedCopy<T> {
  return {
    synced,
    find: ({ namespace, name }) =>
      objects.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    byIndex: (index, value) => objects.filter((object) => indexes[index]?.(object).includes(value)),
  };
}
