import {
  addressFamily,
  canonicalJson,
  type EndpointAddress,
  type EndpointsPort,
  type EndpointSubset,
  isPodReady,
  type Pod,
  type Service,
  withoutUndefined,
} from "@kintsugi/api";
import { findPort, hasEndpoint, hostnameIn, isHeadless } from "../../shared/service-endpoints/pod-endpoint.ts";

/**
 * Upstream's limit: an object with more addresses would be too large to be sent to every node
 * whenever one address changes.
 */
const addressesMax = 1000;

interface Place {
  address: EndpointAddress;
  ready: boolean;
}

/**
 * Returns the wanted subsets of the Service's Endpoints: each address once for each set of ports,
 * in a fixed order.
 */
export function planSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const { ports: servicePorts = [], publishNotReadyAddresses = false } = service.spec ?? {};
  /** The endpoints by port, as text; "" for a headless Service without ports. */
  const places = new Map<string, { port: EndpointsPort | undefined; places: Map<string, Place> }>();
  const add = (port: EndpointsPort | undefined, place: Place) => {
    const key = port === undefined ? "" : canonicalJson(port);
    const known = places.get(key) ?? { port, places: new Map<string, Place>() };
    places.set(key, known);
    known.places.set(placeKey(place), place);
  };
  for (const pod of pods) {
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    const address = addressOf(service, pod);
    if (!hasEndpoint(pod) || address === undefined || (isLeaving && !publishNotReadyAddresses)) continue;
    const place = { address, ready: publishNotReadyAddresses || isPodReady(pod) };
    if (servicePorts.length === 0 && isHeadless(service)) add(undefined, place);
    for (const servicePort of servicePorts) {
      const port = findPort(pod, servicePort);
      const { name, protocol = "TCP", appProtocol } = servicePort;
      if (port !== undefined) add(withoutUndefined({ name: name || undefined, port, protocol, appProtocol }), place);
    }
  }
  return joined([...places.values()]);
}

/**
 * Limits the addresses to the maximum of one object, spread over the subsets by their shares.
 * Addresses that are not ready are left out first. Undefined where the limit is not exceeded.
 */
export function truncated(subsets: readonly EndpointSubset[]): EndpointSubset[] | undefined {
  const ready = count(subsets, "addresses");
  const notReady = count(subsets, "notReadyAddresses");
  if (ready + notReady <= addressesMax) return undefined;
  const isTooManyReady = ready > addressesMax;
  const [total, room] = isTooManyReady ? [ready, addressesMax] : [notReady, addressesMax - ready];
  let left = room;
  const shareOf = (own: readonly EndpointAddress[] = []) => {
    const share = own.slice(0, Math.min(left, Math.ceil((own.length / total) * room)));
    left -= share.length;
    return share.length === 0 ? undefined : share;
  };
  return subsets.map(({ addresses, notReadyAddresses, ports }) =>
    isTooManyReady
      ? withoutUndefined({ addresses: shareOf(addresses), ports })
      : withoutUndefined({ addresses, notReadyAddresses: shareOf(notReadyAddresses), ports }),
  );
}

function count(subsets: readonly EndpointSubset[], field: "addresses" | "notReadyAddresses"): number {
  return subsets.reduce((sum, subset) => sum + (subset[field] ?? []).length, 0);
}

/** Ports with the same ready and unready endpoints share a subset. */
function joined(
  byPort: readonly { port: EndpointsPort | undefined; places: ReadonlyMap<string, Place> }[],
): EndpointSubset[] {
  const byPlaces = new Map<string, { ports: EndpointsPort[]; places: Place[] }>();
  for (const { port, places } of byPort) {
    const keys = [...places.keys()].toSorted();
    const all = keys.join();
    const group = byPlaces.get(all) ?? { ports: [], places: keys.map((key) => places.get(key)!) };
    byPlaces.set(all, group);
    if (port !== undefined) group.ports.push(port);
  }
  const subsets = [...byPlaces.values()].map(({ ports, places }): EndpointSubset => {
    const of = (ready: boolean) => {
      const addresses = places.filter((place) => place.ready === ready).map(({ address }) => address);
      return addresses.length === 0 ? undefined : addresses;
    };
    const inOrder = ports.toSorted((a, b) => compare(canonicalJson(a), canonicalJson(b)));
    const given = inOrder.length === 0 ? undefined : inOrder;
    return withoutUndefined({ addresses: of(true), notReadyAddresses: of(false), ports: given });
  });
  return subsets.toSorted((a, b) => compare(canonicalJson(a), canonicalJson(b)));
}

/** Sorts by address. */
function placeKey({ address: { ip, targetRef }, ready }: Place): string {
  return JSON.stringify([ip, targetRef?.uid, ready]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * Returns the address in the Service's first family; undefined if the pod has no address of that
 * family.
 */
function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const family = ipFamilies[0] ?? addressFamily(clusterIP) ?? addressFamily(pod.status?.podIP ?? "");
  const ip = (pod.status?.podIPs ?? []).map((one) => one.ip).find((one) => addressFamily(one) === family);
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  return withoutUndefined({
    ip,
    hostname: hostnameIn(service, pod),
    nodeName: pod.spec?.nodeName,
    targetRef: withoutUndefined({ kind: "Pod", namespace, name, uid }),
  });
}
