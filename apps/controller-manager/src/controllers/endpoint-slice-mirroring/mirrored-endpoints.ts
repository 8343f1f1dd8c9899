import {
  addressFamily,
  type Endpoint,
  type EndpointAddress,
  type EndpointPort,
  type Endpoints,
  type EndpointsPort,
  withoutUndefined,
} from "@kintsugi/api";
import {
  type AddressType,
  type EndpointGroup,
  endpointKey,
  portsKey,
} from "../../shared/service-endpoints/endpoint-group.ts";

export const mirroredTypes: readonly AddressType[] = ["IPv4", "IPv6"];

export interface MirroredEndpoints {
  /** The groups by address type and ports. */
  groups: Map<AddressType, Map<string, EndpointGroup>>;
  /** Addresses that are not valid IP addresses. */
  invalidCount: number;
  /** Addresses beyond the limit of mirrored addresses per subset. */
  surplusCount: number;
}

/** Returns the endpoints of hand-made Endpoints in the form of slices; groups are never empty. */
export function mirroredEndpoints({ subsets = [] }: Endpoints, perSubsetMax: number): MirroredEndpoints {
  const mirrored: MirroredEndpoints = { groups: new Map(), invalidCount: 0, surplusCount: 0 };
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const places = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    const slicePorts = ports.map(portOf);
    let count = 0;
    for (const { address, ready } of places) {
      const type = addressFamily(address.ip);
      if (type === undefined) mirrored.invalidCount++;
      else if (count >= perSubsetMax) mirrored.surplusCount++;
      else {
        count++;
        add(groupOf(mirrored, type, slicePorts), endpointOf(address, ready));
      }
    }
  }
  return mirrored;
}

function groupOf({ groups }: MirroredEndpoints, type: AddressType, ports: EndpointPort[]): EndpointGroup {
  const ofType = groups.get(type) ?? new Map<string, EndpointGroup>();
  groups.set(type, ofType);
  const key = portsKey(ports);
  const group = ofType.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() };
  ofType.set(key, group);
  return group;
}

/** Two subsets with the same ports may contain an address twice; the ready address counts. */
function add({ endpoints }: EndpointGroup, endpoint: Endpoint): void {
  const key = endpointKey(endpoint);
  if (endpoints.get(key)?.conditions?.ready !== true) endpoints.set(key, endpoint);
}

function portOf({ name = "", protocol = "TCP", port, appProtocol }: EndpointsPort): EndpointPort {
  return withoutUndefined({ name, protocol, port, appProtocol });
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return withoutUndefined({
    addresses: [ip],
    conditions: { ready },
    hostname: hostname || undefined,
    targetRef,
    nodeName: nodeName || undefined,
  });
}
