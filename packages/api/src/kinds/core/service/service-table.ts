import { formatAge, formatLabels } from "../../../table/cells.ts";
import { ageColumn, column, type KindTable, nameColumn, wide } from "../../../table/columns.ts";
import type { Service } from "./service.ts";

export const serviceTable: KindTable<Service> = {
  columns: [
    nameColumn,
    column("Type", "Type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName."),
    column("Cluster-IP", "IP address of the service inside the cluster."),
    column("External-IP", "Addresses of the service outside the cluster."),
    column("Port(s)", "Ports of the service."),
    ageColumn,
    wide(column("Selector", "Labels that select the service's pods.")),
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
