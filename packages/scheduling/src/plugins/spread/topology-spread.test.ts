import { describe } from "vitest";
import { aNode, aPod, zoned } from "../../testing/builders.ts";
import { checkFilters } from "../../testing/check-filters.ts";

describe("PodTopologySpread", () => {
  const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")];
  const skewed = ["node(s) didn't match pod topology spread constraints"];
  const unlabelled = ["node(s) didn't match pod topology spread constraints (missing required label)"];
  const web = (name: string, terminating = false) => aPod(name, { labels: { app: "web" }, terminating });
  const spread = (more: object = {}) => ({
    labels: { app: "web" },
    spec: {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule" as const,
          labelSelector: { matchLabels: { app: "web" } },
          ...more,
        },
      ],
    },
  });

  checkFilters({
    "no domain gets more than maxSkew ahead of the emptiest": {
      pod: aPod("new", spread()),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: skewed, a2: skewed, b1: undefined },
      evictionMayHelp: ["a1", "a2"],
    },
    "a larger skew allows more": {
      pod: aPod("new", spread({ maxSkew: 2 })),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: undefined, a2: undefined, b1: undefined },
    },
    "pods on their way out do not count": {
      pod: aPod("new", spread()),
      nodes,
      placed: { a1: [web("x", true)] },
      expected: { a1: undefined, a2: undefined, b1: undefined },
    },
    "a node without the label cannot do": {
      pod: aPod("new", spread()),
      nodes: [...nodes, aNode("nowhere")],
      expected: { a1: undefined, a2: undefined, b1: undefined, nowhere: unlabelled },
      evictionMayHelp: [],
    },
    "too few domains count as if one more were empty": {
      pod: aPod("new", spread({ minDomains: 3 })),
      nodes,
      placed: { a1: [web("x")], b1: [web("y")] },
      expected: { a1: skewed, a2: skewed, b1: skewed },
    },
    "domains that the pod cannot use do not hold it back": {
      pod: aPod("new", { ...spread(), spec: { ...spread().spec, nodeSelector: { zone: "a" } } }),
      nodes,
      placed: { a1: [web("x")] },
      expected: {
        a1: undefined,
        a2: undefined,
        b1: ["node(s) didn't match Pod's node affinity/selector"],
      },
    },
    "unless the constraint ignores that": {
      pod: aPod("new", {
        ...spread({ nodeAffinityPolicy: "Ignore" }),
        spec: { ...spread({ nodeAffinityPolicy: "Ignore" }).spec, nodeSelector: { zone: "a" } },
      }),
      nodes,
      placed: { a1: [web("x")] },
      expected: { a1: skewed, a2: skewed, b1: ["node(s) didn't match Pod's node affinity/selector"] },
    },
    "tainted domains hold it back unless the constraint honours taints": {
      pod: aPod("new", spread({ nodeTaintsPolicy: "Honor" })),
      nodes: [
        zoned("a1", "a"),
        aNode("b1", { labels: { zone: "b" }, spec: { taints: [{ key: "x", effect: "NoSchedule" }] } }),
      ],
      placed: { a1: [web("x")] },
      expected: { a1: undefined, b1: ["node(s) had untolerated taint {x: }"] },
    },
  });
});
