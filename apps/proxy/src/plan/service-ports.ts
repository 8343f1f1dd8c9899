import { isIPv4 } from "node:net";
import { isNodePort, type Service, type ServicePort as ApiServicePort } from "@kintsugi/api";
import { chainBase } from "./names.ts";

/**
 * One port of a Service, in the view of packets: destination addresses and a port, and their
 * endpoints.
 */
export interface ServicePort {
  readonly namespace: string;
  readonly serviceName: string;
  /** "" for the only port of a Service without a port name. */
  readonly portName: string;
  /** "default/web/tcp/http", preceded by a hash: the end of its chains' names. */
  readonly chainBase: string;
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly clusterIp: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  /** External IPs, and the IPs of a load balancer. */
  readonly externalIps: readonly string[];
  /** The `externalIps` that only `sourceRanges` may reach. */
  readonly guardedIps: readonly string[];
  readonly sourceRanges: readonly string[];
  readonly internalPolicyLocal: boolean;
  readonly externalPolicyLocal: boolean;
  /**
   * Time for which a client is bound to its endpoint; undefined: each connection may use any
   * endpoint.
   */
  readonly affinitySeconds: number | undefined;
}

/** The label of a Service or a slice that another proxy serves. */
export const serviceProxyNameLabel = "service.kubernetes.io/service-proxy-name";

/**
 * Upstream's default of sessionAffinityConfig.clientIP.timeoutSeconds; the API server writes it as
 * well.
 */
const affinitySecondsDefault = 10_800;

/**
 * The ports that this proxy serves, without ports of a Service that has no address or belongs to
 * another proxy (ShouldSkipService).
 */
export function servicePortsOf(service: Service): ServicePort[] {
  const { metadata, spec = {} } = service;
  const clusterIp = [...(spec.clusterIPs ?? []), spec.clusterIP ?? ""].find((address) => isIPv4(address));
  if (clusterIp === undefined || spec.type === "ExternalName") return [];
  if (metadata.labels?.[serviceProxyNameLabel] !== undefined) return [];
  return (spec.ports ?? []).map((port) => servicePort(service, port, clusterIp));
}

function servicePort({ metadata, spec = {}, status }: Service, port: ApiServicePort, clusterIp: string): ServicePort {
  const { namespace = "", name: serviceName = "" } = metadata;
  const portName = port.name ?? "";
  const protocol = (port.protocol ?? "TCP").toLowerCase() as ServicePort["protocol"];
  const balancerIps = (status?.loadBalancer?.ingress ?? [])
    // Packets must pass through a load balancer that is itself a proxy.
    .filter(({ ipMode }) => ipMode !== "Proxy")
    .map(({ ip = "" }) => ip)
    .filter((address) => isIPv4(address));
  const sourceRanges = (spec.loadBalancerSourceRanges ?? []).map((range) => range.trim()).filter(isIpv4Cidr);
  return {
    namespace,
    serviceName,
    portName,
    chainBase: chainBase(`${namespace}/${serviceName}/${protocol}/${portName}`),
    protocol,
    clusterIp,
    port: port.port,
    // An older API server allowed Services to use ports of the node's own programs.
    nodePort: isNodePort(port.nodePort ?? 0) ? (port.nodePort ?? 0) : 0,
    externalIps: [...new Set([...(spec.externalIPs ?? []).filter((address) => isIPv4(address)), ...balancerIps])],
    guardedIps: sourceRanges.length > 0 ? balancerIps : [],
    sourceRanges,
    internalPolicyLocal: spec.internalTrafficPolicy === "Local",
    externalPolicyLocal: spec.externalTrafficPolicy === "Local",
    affinitySeconds:
      spec.sessionAffinity === "ClientIP"
        ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? affinitySecondsDefault)
        : undefined,
  };
}

function isIpv4Cidr(range: string): boolean {
  const [address = "", bits = ""] = range.split("/");
  return isIPv4(address) && /^\d+$/.test(bits) && Number(bits) <= 32;
}

/** Reports whether the port has any destination other than its cluster IP. */
export function isReachedFromOutside({ nodePort, externalIps }: ServicePort): boolean {
  return nodePort !== 0 || externalIps.length > 0;
}
