import type { Endpoints, EndpointSlice, Service } from "@kintsugi/api";
import { formatAge, formatFirst, formatLabels } from "./cells.ts";
import { ageColumn, column, type KindTable, nameColumn, wide } from "./columns.ts";

export const serviceTable: KindTable<Service> = {
  columns: [
    nameColumn,
    column("Type", "How the service is exposed."),
    column("Cluster-IP", "Address of the service inside the cluster."),
    column("External-IP", "Addresses of the service outside the cluster."),
    column("Port(s)", "Ports of the service."),
    ageColumn,
    wide(column("Selector", "Labels of the pods behind the service.")),
  ],
  cells(service, nowMs) {
    return [
      service.metadata.name ?? "",
      service.spec?.type ?? "",
      service.spec?.clusterIPs?.[0] ?? "<none>",
      formatExternalAddress(service),
      formatPorts(service),
      formatAge(service, nowMs),
      formatLabels(service.spec?.selector),
    ];
  },
};

export const endpointSliceTable: KindTable<EndpointSlice> = {
  columns: [
    nameColumn,
    column("AddressType", "Kind of the addresses."),
    column("Ports", "Ports that the endpoints listen on."),
    column("Endpoints", "Addresses of the endpoints."),
    ageColumn,
  ],
  cells(slice, nowMs) {
    const ports = (slice.ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port)));
    return [
      slice.metadata.name ?? "",
      slice.addressType,
      formatFirst(ports),
      formatFirst((slice.endpoints ?? []).flatMap(({ addresses }) => addresses)),
      formatAge(slice, nowMs),
    ];
  },
};

export const endpointsTable: KindTable<Endpoints> = {
  columns: [nameColumn, column("Endpoints", "Addresses of the endpoints that can be used."), ageColumn],
  cells(endpoints, nowMs) {
    return [endpoints.metadata.name ?? "", formatSubsets(endpoints), formatAge(endpoints, nowMs)];
  },
};

/** Each address with each port of its subset. */
function formatSubsets({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return "<none>";
  const shown = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const places = addresses.map(({ ip }) => ip);
    return ports.length === 0 ? places : ports.flatMap(({ port }) => places.map((ip) => joinHostPort(ip, port)));
  });
  return shown.length === 0 ? "" : formatFirst(shown);
}

function joinHostPort(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function formatExternalAddress({ spec, status }: Service): string {
  const externalIPs = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return externalIPs.length === 0 ? "<none>" : externalIPs.join(",");
    case "LoadBalancer": {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const addresses = [...new Set(ingress.filter((address) => address !== ""))].toSorted();
      return [...addresses, ...externalIPs].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function formatPorts({ spec }: Service): string {
  const ports = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol ?? "TCP"}` : `${port}/${protocol ?? "TCP"}`,
  );
  return ports.length === 0 ? "<none>" : ports.join(",");
}
