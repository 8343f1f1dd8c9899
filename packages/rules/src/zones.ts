import { type Node, regionLabel, type TimerProfile, zoneLabel } from "@kintsugi/api";

type ZoneState = "normal" | "partial" | "full";

export type ZoneOptions = Pick<
  TimerProfile,
  "nodeEvictionRate" | "secondaryNodeEvictionRate" | "unhealthyZoneThreshold" | "largeClusterSizeThreshold"
>;

export interface Zone {
  ready: number;
  notReady: number;
}

export interface ZonePlan extends Zone {
  state: ZoneState;
  /** Nodes per second whose pods may begin to be evicted. */
  evictionRate: number;
}

export interface Disruption {
  zones: ReadonlyMap<string, ZonePlan>;
  /**
   * Every zone is down: more likely this process is cut off than that all nodes died, so nothing is
   * evicted.
   */
  allDown: boolean;
}

const excludeLabel = "node.kubernetes.io/exclude-disruption";
/** A zone with fewer nodes down than this is never unhealthy: a small zone may lose two. */
const unhealthyNodesMin = 3;

/** "region:zone", or "" for a node without either label. */
export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  const region = labels[regionLabel] ?? "";
  const zone = labels[zoneLabel] ?? "";
  return region === "" && zone === "" ? "" : `${region}:${zone}`;
}

/** The zones of the nodes that count; a node without the condition Ready has not begun to count. */
export function countZones(nodes: readonly Node[], isReady: (node: Node) => boolean | undefined): Map<string, Zone> {
  const zones = new Map<string, Zone>();
  for (const node of nodes) {
    const ready = isReady(node);
    if (ready === undefined || Object.hasOwn(node.metadata.labels ?? {}, excludeLabel)) continue;
    const zone = zones.get(zoneOf(node)) ?? { ready: 0, notReady: 0 };
    if (ready) zone.ready++;
    else zone.notReady++;
    zones.set(zoneOf(node), zone);
  }
  return zones;
}

/** Upstream's ComputeZoneState and handleDisruption, as a function of the present state. */
export function planDisruption(zones: ReadonlyMap<string, Zone>, options: ZoneOptions): Disruption {
  const states = [...zones].map(([name, zone]) => ({ name, zone, state: zoneState(zone, options) }));
  const allDown = states.length > 0 && states.every(({ state }) => state === "full");
  const plans = states.map(({ name, zone, state }) => {
    const evictionRate = allDown ? 0 : zoneRate(state, zone.ready + zone.notReady, options);
    return [name, { ...zone, state, evictionRate }] as const;
  });
  return { zones: new Map(plans), allDown };
}

function zoneState({ ready, notReady }: Zone, options: ZoneOptions): ZoneState {
  if (ready === 0 && notReady > 0) return "full";
  const share = notReady / (ready + notReady);
  return notReady >= unhealthyNodesMin && share >= options.unhealthyZoneThreshold ? "partial" : "normal";
}

function zoneRate(state: ZoneState, nodeCount: number, options: ZoneOptions): number {
  switch (state) {
    case "normal":
    case "full":
      // One zone being down while another is up is a real failure: its pods go elsewhere at the
      // normal rate.
      return options.nodeEvictionRate;
    case "partial":
      return nodeCount > options.largeClusterSizeThreshold ? options.secondaryNodeEvictionRate : 0;
  }
}
