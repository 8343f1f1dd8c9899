import type { Service, ServiceSpec } from "./service.ts";

/** Duration for which a client keeps one backend under `sessionAffinity: ClientIP`: three hours. */
const clientAffinitySeconds = 10_800;

/**
 * Sets upstream's defaults, and the address family of a single-stack cluster; changes the Service
 * in place.
 */
export function setServiceDefaults(service: Service): void {
  const spec = (service.spec ??= {});
  spec.sessionAffinity ||= "None";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  else
    spec.sessionAffinityConfig = {
      clientIP: { timeoutSeconds: clientAffinitySeconds, ...spec.sessionAffinityConfig?.clientIP },
    };
  spec.type ||= "ClusterIP";
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "") port.targetPort = port.port;
  }
  if (isExternallyAccessible(spec)) spec.externalTrafficPolicy ||= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  if (spec.type !== "ExternalName") {
    spec.internalTrafficPolicy ??= "Cluster";
    spec.ipFamilyPolicy ??= namesTwoFamilies(spec) ? "RequireDualStack" : "SingleStack";
    spec.ipFamilies ??= [familyOf(spec.clusterIPs?.[0] ?? spec.clusterIP ?? "")];
    setClusterAddresses(spec);
  }
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
    if ((ingress.ip ?? "") !== "") ingress.ipMode ??= "VIP";
  }
}

/** A Service that lists two families, or an address of each family, requests both. */
function namesTwoFamilies({ ipFamilies = [], clusterIPs = [] }: ServiceSpec): boolean {
  return ipFamilies.length === 2 || clusterIPs.length === 2;
}

export function isExternallyAccessible(spec: ServiceSpec): boolean {
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") return true;
  return spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0;
}

/**
 * Reports whether load balancers query each node, on a port of the Service, for its endpoints
 * (upstream's NeedsHealthCheck).
 */
export function needsHealthCheckPort({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

/**
 * `clusterIP` is the first of `clusterIPs`; a client that supports only one of the two fields may
 * set that field.
 */
function setClusterAddresses(spec: ServiceSpec): void {
  if ((spec.clusterIP ?? "") !== "" && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP ?? ""];
  if ((spec.clusterIP ?? "") === "" && spec.clusterIPs?.[0] !== undefined) spec.clusterIP = spec.clusterIPs[0];
}

function familyOf(address: string): "IPv4" | "IPv6" {
  return address.includes(":") ? "IPv6" : "IPv4";
}
