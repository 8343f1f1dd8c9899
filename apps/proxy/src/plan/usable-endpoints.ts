import type { Endpoint } from "./endpoints.ts";
import { isReachedFromOutside, type ServicePort } from "./service-ports.ts";

/** The place of the proxy. */
export interface ProxyPlace {
  readonly nodeName: string;
  /** "": the node has no label of its zone. */
  readonly zone: string;
}

export interface UsableEndpoints {
  /**
   * The endpoints of clients that may go to any node; empty also where there are no such clients.
   */
  readonly cluster: readonly Endpoint[];
  /** The endpoints of clients that may go to this node alone. */
  readonly local: readonly Endpoint[];
  /** Both. */
  readonly reachable: readonly Endpoint[];
  /** There is one somewhere, on any node. */
  readonly anywhere: boolean;
}

/**
 * The endpoints that may be used, as upstream has it (CategorizeEndpoints): the ready ones; and
 * where there is none, those that end but still serve, so that a roll-out with one replica, or the
 * last pod of a node, loses nothing (KEP-1669).
 */
export function usableEndpoints(endpoints: readonly Endpoint[], port: ServicePort, place: ProxyPlace): UsableEndpoints {
  const fromOutside = isReachedFromOutside(port);
  // Packets from the node itself, or from its pods, may go to any node, also with the external
  // policy Local.
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
 * Returns the endpoints that are hinted for this node, or else for its zone; all of them, unless
 * each has such a hint and one hint is for here.
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
