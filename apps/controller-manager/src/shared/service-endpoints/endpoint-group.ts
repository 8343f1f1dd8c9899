import { canonicalJson, type Endpoint, type EndpointPort, type EndpointSlice } from "@kintsugi/api";

export type AddressType = EndpointSlice["addressType"];

/** The endpoints that share their ports, because a slice has one list of ports. */
export interface EndpointGroup {
  ports: EndpointPort[];
  /** The endpoints by their identity. */
  endpoints: Map<string, Endpoint>;
}

/** Returns the identity of an endpoint; its other fields may change. */
export function endpointKey({ addresses, hostname = "", targetRef }: Endpoint): string {
  return JSON.stringify([addresses.toSorted(), hostname, targetRef?.namespace ?? "", targetRef?.name ?? ""]);
}

/** Returns the same key for equal ports in any order. */
export function portsKey(ports: readonly EndpointPort[] = []): string {
  return ports.map(canonicalJson).toSorted().join();
}

/** Reports whether two endpoints with the same key have the same other fields. */
export function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return saidBy(a) === saidBy(b);
}

function saidBy({ conditions, hints, nodeName, zone, targetRef }: Endpoint): string {
  const { ready, serving, terminating } = conditions ?? {};
  const hinted = [hints?.forZones, hints?.forNodes].map((clients) => (clients ?? []).map(({ name }) => name));
  return JSON.stringify([hinted, ready, serving, terminating, nodeName, zone, targetRef?.kind, targetRef?.uid]);
}
