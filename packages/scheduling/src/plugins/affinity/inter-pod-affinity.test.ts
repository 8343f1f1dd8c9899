import { describe } from "vitest";
import { aNode, aPod, zoned } from "../../testing/builders.ts";
import { checkFilters } from "../../testing/check-filters.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const app = (name: string) => ({ labelSelector: { matchLabels: { app: name } }, topologyKey: "zone" });
const wantsNear = (name: string) => ({ affinity: { podAffinity: { [required]: [app(name)] } } });
const wantsFar = (name: string) => ({ affinity: { podAntiAffinity: { [required]: [app(name)] } } });

describe("InterPodAffinity", () => {
  const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b"), aNode("nowhere")];
  const notNear = ["node(s) didn't match pod affinity rules"];
  const notFar = ["node(s) didn't match pod anti-affinity rules"];
  const refused = ["node(s) didn't satisfy existing pods anti-affinity rules"];
  const db = aPod("db", { labels: { app: "db" } });

  checkFilters({
    "near means in the same domain": {
      pod: aPod("web", { spec: wantsNear("db") }),
      nodes,
      placed: { a1: [db] },
      expected: { a1: undefined, a2: undefined, b1: notNear, nowhere: notNear },
      evictionMayHelp: [],
    },
    "nobody to be near to": {
      pod: aPod("web", { spec: wantsNear("db") }),
      nodes,
      expected: { a1: notNear, a2: notNear, b1: notNear, nowhere: notNear },
    },
    "the first of a group that wants to be together may go anywhere with the label": {
      pod: aPod("web", { labels: { app: "web" }, spec: wantsNear("web") }),
      nodes,
      expected: { a1: undefined, a2: undefined, b1: undefined, nowhere: notNear },
    },
    "far means in no domain with such a pod": {
      pod: aPod("web", { spec: wantsFar("db") }),
      nodes,
      placed: { a1: [db] },
      expected: { a1: notFar, a2: notFar, b1: undefined, nowhere: undefined },
      evictionMayHelp: ["a1", "a2"],
    },
    "pods that are there keep others away too": {
      pod: aPod("web", { labels: { app: "web" } }),
      nodes,
      placed: { b1: [aPod("loner", { spec: wantsFar("web") })] },
      expected: { a1: undefined, a2: undefined, b1: refused, nowhere: undefined },
      evictionMayHelp: ["b1"],
    },
    "pods of other namespaces do not count": {
      pod: aPod("web", { namespace: "shop", spec: wantsNear("db") }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: notNear },
    },
    "unless the term names their namespace": {
      pod: aPod("web", {
        namespace: "shop",
        spec: { affinity: { podAffinity: { [required]: [{ ...app("db"), namespaces: ["default"] }] } } },
      }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: undefined },
    },
    "or an empty selector that means all namespaces": {
      pod: aPod("web", {
        namespace: "shop",
        spec: { affinity: { podAffinity: { [required]: [{ ...app("db"), namespaceSelector: {} }] } } },
      }),
      nodes: nodes.slice(0, 1),
      placed: { a1: [db] },
      expected: { a1: undefined },
    },
    "matchLabelKeys compares with the pod's own labels": {
      pod: aPod("web", {
        labels: { app: "db", version: "2" },
        spec: { affinity: { podAntiAffinity: { [required]: [{ ...app("db"), matchLabelKeys: ["version"] }] } } },
      }),
      nodes: nodes.slice(0, 3),
      placed: {
        a1: [aPod("v1", { labels: { app: "db", version: "1" } })],
        b1: [aPod("v2", { labels: { app: "db", version: "2" } })],
      },
      expected: { a1: undefined, a2: undefined, b1: notFar },
    },
  });
});
