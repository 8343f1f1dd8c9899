import {
  addressFamily,
  type Endpoint,
  type EndpointHints,
  type EndpointPort,
  isPodReady,
  type Node,
  type Pod,
  type Service,
  trafficDistributions,
  withoutUndefined,
  zoneLabel,
} from "@kintsugi/api";
import {
  type AddressType,
  type EndpointGroup,
  endpointKey,
  portsKey,
} from "../../shared/service-endpoints/endpoint-group.ts";
import { findPort, hasEndpoint, hostnameIn, isHeadless } from "../../shared/service-endpoints/pod-endpoint.ts";

export interface DesiredEndpoints {
  /** The groups by their ports. */
  groups: Map<string, EndpointGroup>;
  /** Pods that are left out because their node is not known. */
  nodeless: Pod[];
}

/** Returns the wanted content of the slices of a Service and address family. */
export function desiredEndpoints(
  service: Service,
  addressType: AddressType,
  world: { pods: readonly Pod[]; findNode: (name: string) => Node | undefined },
): DesiredEndpoints {
  const desired: DesiredEndpoints = { groups: new Map(), nodeless: [] };
  for (const pod of world.pods.filter(hasEndpoint)) {
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = desired.groups.get(key) ?? { ports, endpoints: new Map() };
    desired.groups.set(key, group);
    const node = world.findNode(pod.spec?.nodeName ?? "");
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) {
      desired.nodeless.push(pod);
      continue;
    }
    const endpoint = endpointOf(pod, { service, addressType, node });
    if (endpoint.addresses.length > 0) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return desired;
}

/** The address families for which a Service has slices. */
export function addressTypesOf({ spec }: Service): AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return [...new Set(families)];
  const ownFamily = addressFamily(spec?.clusterIP ?? "");
  return ownFamily === undefined ? ["IPv4", "IPv6"] : [ownFamily];
}

function portsOf(service: Service, pod: Pod): EndpointPort[] {
  const { ports = [] } = service.spec ?? {};
  if (ports.length === 0 && isHeadless(service)) return [];
  return ports.flatMap((servicePort) => {
    const port = findPort(pod, servicePort);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [withoutUndefined({ name, protocol, port, appProtocol })];
  });
}

function endpointOf(
  pod: Pod,
  { service, addressType, node }: { service: Service; addressType: AddressType; node: Node | undefined },
): Endpoint {
  const { namespace, name, uid, deletionTimestamp } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  // A Service that publishes pods that are not ready also publishes terminating pods.
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const place = { nodeName: pod.spec?.nodeName || undefined, zone: node?.metadata.labels?.[zoneLabel] || undefined };
  return withoutUndefined({
    addresses: (pod.status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => addressFamily(ip) === addressType),
    conditions: { ready, serving, terminating },
    hostname: hostnameIn(service, pod),
    targetRef: withoutUndefined({ kind: "Pod", namespace, name, uid }),
    ...place,
    hints: ready ? hintsOf(service, place) : undefined,
  });
}

/**
 * Computes the hints about the clients that should prefer a ready endpoint (upstream's
 * trafficdist.ReconcileHints).
 */
function hintsOf(
  { spec }: Service,
  { nodeName, zone }: Pick<Endpoint, "nodeName" | "zone">,
): EndpointHints | undefined {
  const preference = spec?.trafficDistribution ?? "";
  if (!trafficDistributions.includes(preference)) return undefined;
  const forNodes = preference === "PreferSameNode" && nodeName !== undefined ? [{ name: nodeName }] : undefined;
  const forZones = zone === undefined ? undefined : [{ name: zone }];
  return forZones === undefined && forNodes === undefined ? undefined : withoutUndefined({ forZones, forNodes });
}
