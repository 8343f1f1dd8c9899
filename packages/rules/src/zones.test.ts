import { type Node, zoneLabel } from "@kintsugi/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aNode } from "./testing/objects.ts";
import { planDisruption, type Zone, ZoneCounts, zoneOf } from "./zones.ts";

const options = {
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
};

const cases: { name: string; zones: Record<string, Zone>; rates: Record<string, number>; allDown?: boolean }[] = [
  { name: "a healthy zone evicts at the normal rate", zones: { a: { ready: 3, notReady: 0 } }, rates: { a: 0.1 } },
  { name: "two nodes down are never too many", zones: { a: { ready: 1, notReady: 2 } }, rates: { a: 0.1 } },
  { name: "three of six nodes down are less than 55 %", zones: { a: { ready: 3, notReady: 3 } }, rates: { a: 0.1 } },
  {
    name: "three of four nodes down stop evictions in a small zone",
    zones: { a: { ready: 1, notReady: 3 } },
    rates: { a: 0 },
  },
  { name: "exactly 55 % count", zones: { a: { ready: 9, notReady: 11 } }, rates: { a: 0 } },
  { name: "fifty nodes are a small zone", zones: { a: { ready: 20, notReady: 30 } }, rates: { a: 0 } },
  {
    name: "fifty-one nodes are a large zone, where evictions slow down",
    zones: { a: { ready: 20, notReady: 31 } },
    rates: { a: 0.01 },
  },
  {
    name: "a zone that is down while another zone is up is emptied at the normal rate",
    zones: { a: { ready: 0, notReady: 5 }, b: { ready: 1, notReady: 0 } },
    rates: { a: 0.1, b: 0.1 },
  },
  {
    name: "evictions stop if all zones are down",
    zones: { a: { ready: 0, notReady: 5 }, b: { ready: 0, notReady: 1 } },
    rates: { a: 0, b: 0 },
    allDown: true,
  },
  {
    name: "a cluster whose only node is down has all zones down",
    zones: { a: { ready: 0, notReady: 1 } },
    rates: { a: 0 },
    allDown: true,
  },
  { name: "an empty cluster is not a disruption", zones: {}, rates: {} },
];

describe("zones", () => {
  test.each(cases)("$name", ({ zones, rates, allDown = false }) => {
    const plan = planDisruption(new Map(Object.entries(zones)), options);
    expect(Object.fromEntries([...plan.zones].map(([name, zone]) => [name, zone.evictionRate]))).toEqual(rates);
    expect(plan.allDown).toBe(allDown);
  });

  test("are distinguished by region and zone together", () => {
    const region = "topology.kubernetes.io/region";
    const zone = "topology.kubernetes.io/zone";
    expect(zoneOf(aNode("n"))).toBe("");
    expect(zoneOf(aNode("n", { labels: { [region]: "eu", [zone]: "a" } }))).toBe("eu:a");
    expect(zoneOf(aNode("n", { labels: { [zone]: "a" } }))).not.toBe(zoneOf(aNode("n", { labels: { [region]: "a" } })));
  });

  test("do not count nodes that are excluded or have not reported", () => {
    const nodes = [
      aNode("a"),
      aNode("b", { ready: "Unknown" }),
      aNode("c", { ready: "Unknown", labels: { "node.kubernetes.io/exclude-disruption": "" } }),
      aNode("d", { ready: "none" }),
    ];
    expect(countsOf(nodes).zones).toEqual(new Map([["", { ready: 1, notReady: 1 }]]));
  });

  test("have the same counts after changes as a fresh count", () => {
    const change = fc.record({
      name: fc.constantFrom("a", "b", "c", "d"),
      ready: fc.constantFrom("True", "False", "Unknown", "none", "gone"),
      zone: fc.constantFrom("x", "y"),
      isExcluded: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const counts = new ZoneCounts();
        const nodes = new Map<string, Node>();
        for (const { name, ready, zone, isExcluded } of changes) {
          const labels = { [zoneLabel]: zone, ...(isExcluded ? { "node.kubernetes.io/exclude-disruption": "" } : {}) };
          const node = ready === "gone" ? undefined : aNode(name, { ready, labels });
          counts.observe(name, node);
          if (node) nodes.set(name, node);
          else nodes.delete(name);
        }
        expect(counts.zones).toEqual(countsOf([...nodes.values()]).zones);
      }),
    );
  });

  test("are predicted as they will be once the late nodes are down too", () => {
    const counts = countsOf([aNode("a"), aNode("b"), aNode("c", { ready: "False" })]);
    expect(counts.zonesWithout(["b", "c", "never seen"])).toEqual(new Map([["", { ready: 1, notReady: 2 }]]));
    expect(counts.zones).toEqual(new Map([["", { ready: 2, notReady: 1 }]]));
  });
});

function countsOf(nodes: readonly Node[]): ZoneCounts {
  const counts = new ZoneCounts();
  for (const node of nodes) counts.observe(node.metadata.name ?? "", node);
  return counts;
}
