import { Service, services } from "@kintsugi/api";
import { nodePortsField } from "../cluster-ip.ts";
import { defineResource } from "../resource.ts";

export const serviceResource = defineResource<Service>({
  type: services,
  schema: Service,
  subresources: ["proxy", "status"],
  rules: {
    status: true,
    returnsDeleted: true,
    prepareForCreate: (service, { allocator }) => {
      service.status = { loadBalancer: {} };
      allocator.allocate(service);
    },
    prepareForUpdate: (service, before, { subresource, allocator }) => {
      if (subresource !== "") return;
      keepAddresses(service, before);
      allocator.allocate(service, before);
    },
    selectableFields: {
      "spec.clusterIP": (service) => service.spec?.clusterIP,
      "spec.type": (service) => service.spec?.type,
    },
    indexedFields: { [nodePortsField]: (service) => nodePortsOf(service).join(",") },
  },
});

function nodePortsOf(service: Service): number[] {
  return (service.spec?.ports ?? []).flatMap(({ nodePort }) =>
    nodePort === undefined || nodePort === 0 ? [] : [nodePort],
  );
}

/** An update that leaves addresses and ports out means those that the service has. */
function keepAddresses(service: Service, before: Service): void {
  const { spec } = service;
  if (spec === undefined || spec.type === "ExternalName") return;
  if ((spec.clusterIP ?? "") === "" && before.spec?.clusterIP !== undefined) {
    spec.clusterIP = before.spec.clusterIP;
    if (before.spec.clusterIPs !== undefined) spec.clusterIPs = before.spec.clusterIPs;
  }
  for (const port of spec.ports ?? []) {
    const old = before.spec?.ports?.find(
      ({ port: number, protocol }) => number === port.port && protocol === port.protocol,
    );
    if (spec.type === "ClusterIP") {
      if (port.nodePort === old?.nodePort) delete port.nodePort;
    } else if ((port.nodePort ?? 0) === 0 && old?.nodePort !== undefined) port.nodePort = old.nodePort;
  }
}
