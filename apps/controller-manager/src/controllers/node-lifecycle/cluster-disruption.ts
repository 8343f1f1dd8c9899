import type { Node } from "@kintsugi/api";
import { readyStatus } from "./plan-conditions.ts";
import { countZones, type Disruption, planDisruption, type ZoneOptions } from "@kintsugi/rules";

export type DisruptionChange = "entered" | "left" | "zones" | "none";

/** Follows which zones are down, and reports when all of them begin or cease to be. */
export class ClusterDisruption {
  readonly #options: ZoneOptions;
  #current: Disruption = { zones: new Map(), allDown: false };

  constructor(options: ZoneOptions) {
    this.#options = options;
  }

  get current(): Disruption {
    return this.#current;
  }

  update(nodes: readonly Node[]): DisruptionChange {
    const before = this.#current;
    this.#current = planDisruption(
      countZones(nodes, (node) => isReady(node)),
      this.#options,
    );
    if (before.allDown !== this.#current.allDown) return this.#current.allDown ? "entered" : "left";
    return sameRates(before, this.#current) ? "none" : "zones";
  }

  /** Returns the disruption that there would be if every late node were down. */
  anticipate(nodes: readonly Node[], isLate: (node: Node) => boolean): Disruption {
    const ready = (node: Node) => (isReady(node) === true ? !isLate(node) : isReady(node));
    return planDisruption(countZones(nodes, ready), this.#options);
  }
}

function isReady(node: Node): boolean | undefined {
  const status = readyStatus(node);
  return status === undefined ? undefined : status === "True";
}

function sameRates(a: Disruption, b: Disruption): boolean {
  if (a.zones.size !== b.zones.size) return false;
  return [...a.zones].every(([name, zone]) => b.zones.get(name)?.evictionRate === zone.evictionRate);
}
