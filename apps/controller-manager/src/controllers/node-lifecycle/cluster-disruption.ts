import type { Node } from "@kintsugi/api";
import { type Disruption, planDisruption, ZoneCounts, type ZoneOptions } from "@kintsugi/rules";

export type DisruptionChange = "entered" | "left" | "zones" | "none";

/** Tracks which zones are down, and reports when all zones go down, and when that state ends. */
export class ClusterDisruption {
  readonly #options: ZoneOptions;
  readonly #counts = new ZoneCounts();
  #current: Disruption = { zones: new Map(), allDown: false };

  constructor(options: ZoneOptions) {
    this.#options = options;
  }

  get current(): Disruption {
    return this.#current;
  }

  /** @param node the present node, or undefined when it no longer exists. */
  observe(name: string, node: Node | undefined): void {
    this.#counts.observe(name, node);
  }

  /** Judges the zones again, once the changes of their nodes have been observed. */
  update(): DisruptionChange {
    const before = this.#current;
    this.#current = planDisruption(this.#counts.zones, this.#options);
    if (before.allDown !== this.#current.allDown) return this.#current.allDown ? "entered" : "left";
    return sameRates(before, this.#current) ? "none" : "zones";
  }

  /** Returns the disruption that would result if every late node were down. */
  anticipate(late: Iterable<string>): Disruption {
    return planDisruption(this.#counts.zonesWithout(late), this.#options);
  }
}

function sameRates(a: Disruption, b: Disruption): boolean {
  if (a.zones.size !== b.zones.size) return false;
  return [...a.zones].every(([name, zone]) => b.zones.get(name)?.evictionRate === zone.evictionRate);
}
