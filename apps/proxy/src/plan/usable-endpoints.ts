import type { Endpoint } from "./endpoints.ts";
import { isReachedFromOutside, type ServicePort } from "./service-ports.ts";

/** The location of the proxy. */
export interface ProxyPlace {
  readonly nodeName: string;
  /** "": the node has no zone label. */
  readonly zone: string;
}

export interface UsableEndpoints {
  /**
   * The endpoints for clients that may use any node; also empty where there are no such clients.
   */
  readonly cluster: readonly Endpoint[];
  /** The endpoints for clients that may only use this node. */
  readonly local: readonly Endpoint[];
  /** Both. */
  readonly reachable: readonly Endpoint[];
  /** True if any node has an endpoint. */
  readonly anywhere: boolean;
}

/**
 * The usable endpoints, as in upstream's CategorizeEndpoints: the ready endpoints; and if there are
 * none, the terminating endpoints that still serve, so that a roll-out with one replica, or the
 * last pod of a node, does not lose connections (KEP-1669).
 */
export function usableEndpoints(endpoints: readonly Endpoint[], port: ServicePort, place: ProxyPlace): UsableEndpoints {
  const fromOutside = isReachedFromOutside(port);
  // Packets from the node itself, or from its pods, may use any node, even with the external policy
  // Local.
  const usesCluster = !port.internalPolicyLocal || fromOutside;
  const usesLocal = port.internalPolicyLocal || (port.externalPolicyLocal && fromOutside);
  const usable = readyOrServing(endpoints);
  const cluster = usesCluster ? nearEnough(usable, place) : [];
  const local = usesLocal ? readyOrServing(endpoints.filter(({ isLocal }) => isLocal)) : [];
  return { cluster, local, reachable: [...new Set([...cluster, ...local])], anywhere: usable.length > 0 };
}

function readyOrServing(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  return ready.length > 0 ? ready : endpoints.filter(({ serving, terminating }) => serving && terminating);
}

/**
 * Returns the endpoints that are hinted for this node, or else for its zone; all endpoints, unless
 * each has such a hint and one hint matches.
 */
function nearEnough(usable: readonly Endpoint[], { nodeName, zone }: ProxyPlace): readonly Endpoint[] {
  if (!usable.some(({ ready }) => ready)) return usable;
  if (usable.every(({ nodes }) => nodes.length > 0)) {
    const forNode = usable.filter(({ nodes }) => nodes.includes(nodeName));
    if (forNode.length > 0) return forNode;
  }
  if (zone !== "" && usable.every(({ zones }) => zones.length > 0)) {
    const forZone = usable.filter(({ zones }) => zones.includes(zone));
    if (forZone.length > 0) return forZone;
  }
  return usable;
}
