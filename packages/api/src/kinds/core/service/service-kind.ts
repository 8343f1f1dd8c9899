import { sameJson } from "../../../values/json.ts";
import { checkLabel1035, checkLabel1123 } from "../../../values/names.ts";
import { Faults } from "../../../validation/faults.ts";
import { defineKind } from "../../define-kind.ts";
import { isExternallyAccessible, needsHealthCheckPort, setServiceDefaults } from "./service-defaults.ts";
import { serviceTable } from "./service-table.ts";
import { services } from "./service-type.ts";
import { validateService, validateServiceUpdate } from "./service-validation.ts";
import { Service, type ServiceSpec } from "./service.ts";

/** A field of the index that selectors may not name: the node ports of a Service. */
export const nodePortsField = "spec.ports.nodePort";

/**
 * Node ports are only in this range, upstream's default, because a port below it may be the
 * kubelet's port.
 */
export const nodePortRange = { first: 30_000, last: 32_767 } as const;

export function isNodePort(port: number): boolean {
  return port >= nodePortRange.first && port <= nodePortRange.last;
}

export const serviceKind = defineKind<Service>({
  type: services,
  schema: Service,
  defaults: setServiceDefaults,
  validation: { checkName: checkLabel1123, validate: validateService, update: validateServiceUpdate },
  strategy: {
    status: true,
    returnsDeleted: true,
    validateNew: ({ metadata: { name = "" } }, context) => {
      const faults = new Faults();
      // Names that begin with a digit are allowed since 1.36; a Service with such a name keeps it.
      if (!context.isFeatureOn("RelaxedServiceNameValidation") && checkLabel1123(name).length === 0)
        faults.invalidEach("metadata.name", name, checkLabel1035(name));
      return faults.list;
    },
    prepareForCreate: (service, { allocator }) => {
      service.status = { loadBalancer: {} };
      allocator.allocate(service);
    },
    prepareForUpdate: (service, before, { subresource, allocator }) => {
      if (subresource !== "") return;
      keepAddresses(service, before);
      allocator.allocate(service, before);
    },
  },
  subresources: ["proxy", "status"],
  selectable: {
    "spec.clusterIP": (service) => service.spec?.clusterIP,
    "spec.type": (service) => service.spec?.type,
  },
  indexed: { [nodePortsField]: (service) => nodePortsOf(service).join(",") },
  table: serviceTable,
});

/** The health check port is in the same range as other node ports. */
function nodePortsOf({ spec = {} }: Service): number[] {
  const ports = [...(spec.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec.healthCheckNodePort ?? 0];
  return ports.filter((port) => port !== 0);
}

/** An update without addresses and ports keeps the addresses and ports of the Service. */
function keepAddresses(service: Service, before: Service): void {
  const { spec } = service;
  if (spec === undefined) return;
  if (!isExternallyAccessible(spec) && spec.externalTrafficPolicy === before.spec?.externalTrafficPolicy)
    delete spec.externalTrafficPolicy;
  keepBalancerFields(spec, before.spec ?? {});
  if (spec.type === "ExternalName") return dropAddresses(spec, before.spec ?? {});
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

/**
 * A Service that no longer has a load balancer loses the fields of the load balancer, unless the
 * client changed these fields too. A Service that still has a load balancer keeps its health check
 * port (upstream: patchAllocatedValues and dropTypeDependentFields).
 */
function keepBalancerFields(spec: ServiceSpec, before: ServiceSpec): void {
  if (needsHealthCheckPort(spec)) {
    if ((spec.healthCheckNodePort ?? 0) === 0 && needsHealthCheckPort(before) && before.healthCheckNodePort)
      spec.healthCheckNodePort = before.healthCheckNodePort;
  } else if (spec.healthCheckNodePort === before.healthCheckNodePort) delete spec.healthCheckNodePort;
  if (spec.type === "LoadBalancer") return;
  const fields = ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const;
  for (const field of fields) if (spec[field] === before[field]) delete spec[field];
}

/**
 * A Service that becomes an ExternalName no longer has addresses and node ports. Clients change the
 * type and send back the other values unchanged; values that also changed are left for validation
 * (upstream: dropTypeDependentFields).
 */
function dropAddresses(spec: ServiceSpec, before: ServiceSpec): void {
  const fields = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const;
  for (const field of fields) if (sameJson(spec[field], before[field])) delete spec[field];
  for (const port of spec.ports ?? [])
    if (before.ports?.some(({ nodePort }) => nodePort === port.nodePort) === true) delete port.nodePort;
}
