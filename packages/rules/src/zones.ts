import { findCondition, type Node, regionLabel, type TimerProfile, zoneLabel } from "@kintsugi/api";

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
  /** Number of nodes per second whose evictions may begin. */
  evictionRate: number;
}

export interface Disruption {
  zones: ReadonlyMap<string, ZonePlan>;
  /**
   * Every zone is down. It is more likely that this process is cut off than that all nodes failed,
   * so pods are not evicted.
   */
  allDown: boolean;
}

const excludeLabel = "node.kubernetes.io/exclude-disruption";
/**
 * A zone with fewer nodes down than this is never unhealthy, because a small zone may lose two
 * nodes.
 */
const unhealthyNodesMin = 3;

/** "region:zone", or "" for a node without either label. */
export function zoneOf(node: Node): string {
  const labels = node.metadata.labels ?? {};
  const region = labels[regionLabel] ?? "";
  const zone = labels[zoneLabel] ?? "";
  return region === "" && zone === "" ? "" : `${region}:${zone}`;
}

/**
 * Counts the nodes of each zone, one change at a time, so that the cost of a change does not grow
 * with the cluster. A node without the condition Ready is not counted yet.
 */
export class ZoneCounts {
  /** One entry per counted node. */
  readonly #byNode = new Map<string, { zone: string; isReady: boolean }>();
  readonly #zones = new Map<string, Zone>();

  /** @param node the present state of the node, or undefined when it no longer exists. */
  observe(name: string, node: Node | undefined): void {
    const before = this.#byNode.get(name);
    if (before) this.#add(before, -1);
    this.#byNode.delete(name);
    const ready = node && findCondition(node.status?.conditions, "Ready")?.status;
    if (node === undefined || ready === undefined || Object.hasOwn(node.metadata.labels ?? {}, excludeLabel)) return;
    const counted = { zone: zoneOf(node), isReady: ready === "True" };
    this.#byNode.set(name, counted);
    this.#add(counted, 1);
  }

  get zones(): ReadonlyMap<string, Zone> {
    return this.#zones;
  }

  /** Returns the zones as they would be if these nodes were also not ready. */
  zonesWithout(late: Iterable<string>): ReadonlyMap<string, Zone> {
    const zones = new Map([...this.#zones].map(([name, zone]) => [name, { ...zone }]));
    for (const name of late) {
      const counted = this.#byNode.get(name);
      const zone = counted?.isReady === true ? zones.get(counted.zone) : undefined;
      if (zone === undefined) continue;
      zone.ready--;
      zone.notReady++;
    }
    return zones;
  }

  #add({ zone: name, isReady }: { zone: string; isReady: boolean }, by: 1 | -1): void {
    const zone = this.#zones.get(name) ?? { ready: 0, notReady: 0 };
    if (isReady) zone.ready += by;
    else zone.notReady += by;
    if (zone.ready + zone.notReady === 0) this.#zones.delete(name);
    else this.#zones.set(name, zone);
  }
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
      // A zone that is down while another zone is up is a real failure, so its pods are evicted at
      // the normal rate.
      return options.nodeEvictionRate;
    case "partial":
      return nodeCount > options.largeClusterSizeThreshold ? options.secondaryNodeEvictionRate : 0;
  }
}
