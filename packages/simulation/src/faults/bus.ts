import type { Random } from "@kintsugi/clock";
import type { Fate } from "@kintsugi/watch-stream/testing";
import { type Fault } from "./fault.ts";

/** What happens to the bus and to what travels over it. */
export const busFaults: readonly Fault[] = [
  {
    name: "bus-in-disorder",
    catalogue: ["F16", "F17"],
    sentence: "The bus loses, doubles and delays changes, so that they overtake one another.",
    target: "none",
    lasts: true,
    inject: ({ cluster, random, holds }) => {
      const { bus } = cluster;
      if (!bus) return undefined;
      return holds.hold(bus, { down: () => bus.setFate(() => badFate(random)), up: () => cluster.mendBus() });
    },
  },
];

function badFate(random: Random): Fate {
  const roll = random.float();
  if (roll < 0.2) return "drop";
  if (roll < 0.4) return "duplicate";
  if (roll < 0.6) return { delayMs: random.integer(3000) };
  return "deliver";
}
