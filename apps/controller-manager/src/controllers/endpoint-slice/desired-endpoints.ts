import {
  addressFamily,
  canonicalJson,
  type Endpoint,
  type EndpointPort,
  type EndpointSlice,
  isPodReady,
  type Node,
  type Pod,
  type Service,
  withoutUndefined,
  zoneLabel,
} from "@kintsugi/api";
import { findPort, hasEndpoint, hostnameIn, isHeadless } from "../../shared/service-endpoints/pod-endpoint.ts";

export type AddressType = EndpointSlice["addressType"];

/** The endpoints that share their ports: a slice has one list of ports. */
export interface EndpointGroup {
  ports: EndpointPort[];
  /** The endpoints by their identity. */
  endpoints: Map<string, Endpoint>;
}

export interface DesiredEndpoints {
  /** The groups by their ports. */
  groups: Map<string, EndpointGroup>;
  /** Pods that are left out because nothing is known of the node they are bound to. */
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

/** The families in which a Service has slices. */
export function addressTypesOf({ spec }: Service): AddressType[] {
  const families = (spec?.ipFamilies ?? []).filter((family) => family === "IPv4" || family === "IPv6");
  if (families.length > 0) return [...new Set(families)];
  const ownFamily = addressFamily(spec?.clusterIP ?? "");
  return ownFamily === undefined ? ["IPv4", "IPv6"] : [ownFamily];
}

/** Returns the identity of an endpoint; its other fields may change. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([addresses.toSorted(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Equal for equal ports, in any order. */
export function portsKey(ports: readonly EndpointPort[] = []): string {
  return ports.map(canonicalJson).toSorted().join();
}

/** Reports whether two endpoints with the same key have the same other fields. */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return saidBy(a) === saidBy(b);
}

function saidBy({ conditions, nodeName, zone, targetRef }: Endpoint): string {
  const { ready, serving, terminating } = conditions ?? {};
  return JSON.stringify([ready, serving, terminating, nodeName, zone, targetRef?.kind, targetRef?.uid]);
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
  // A Service that publishes pods that are not ready also publishes those that end.
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  return withoutUndefined({
    addresses: (pod.status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => addressFamily(ip) === addressType),
    conditions: { ready, serving, terminating },
    hostname: hostnameIn(service, pod),
    targetRef: withoutUndefined({ kind: "Pod", namespace, name, uid }),
    nodeName: pod.spec?.nodeName || undefined,
    zone: node?.metadata.labels?.[zoneLabel] || undefined,
  });
}
