import { describe } from "vitest";
import { aNode, aPod } from "../testing/builders.ts";
import { checkFilters } from "../testing/check-filters.ts";

const cordoned = { spec: { unschedulable: true } };
const tainted = (name: string, effect: "NoSchedule" | "NoExecute" | "PreferNoSchedule", value?: string) =>
  aNode(name, { spec: { taints: [{ key: "dedicated", effect, ...(value === undefined ? {} : { value }) }] } });

describe("NodeName, NodeUnschedulable and TaintToleration", () => {
  checkFilters({
    "a pod that names a node fits no other": {
      pod: aPod("web", { spec: { nodeName: "a" } }),
      nodes: [aNode("a"), aNode("b")],
      expected: { a: undefined, b: ["node(s) didn't match the requested node name"] },
    },
    "a cordoned node takes no pods": {
      pod: aPod("web"),
      nodes: [aNode("a", cordoned), aNode("b")],
      expected: { a: ["node(s) were unschedulable"], b: undefined },
    },
    "unless they tolerate the taint that stands for it": {
      pod: aPod("web", { spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] } }),
      nodes: [aNode("a", cordoned)],
      expected: { a: undefined },
    },
    "taints are named as upstream names them, with and without value": {
      pod: aPod("web"),
      nodes: [tainted("a", "NoSchedule", "gpu"), tainted("b", "NoExecute"), tainted("c", "PreferNoSchedule")],
      expected: {
        a: ["node(s) had untolerated taint {dedicated: gpu}"],
        b: ["node(s) had untolerated taint {dedicated: }"],
        c: undefined,
      },
    },
    "a tolerated taint is none, of the right value and effect": {
      pod: aPod("web", {
        spec: { tolerations: [{ key: "dedicated", operator: "Equal", value: "gpu", effect: "NoSchedule" }] },
      }),
      nodes: [tainted("a", "NoSchedule", "gpu"), tainted("b", "NoSchedule", "web"), tainted("c", "NoExecute", "gpu")],
      expected: {
        a: undefined,
        b: ["node(s) had untolerated taint {dedicated: web}"],
        c: ["node(s) had untolerated taint {dedicated: gpu}"],
      },
    },
    "the first plugin that rejects gives the reason": {
      pod: aPod("web", { requests: { cpu: "99" } }),
      nodes: [aNode("a", { spec: { unschedulable: true, taints: [{ key: "x", effect: "NoSchedule" }] } })],
      expected: { a: ["node(s) were unschedulable"] },
    },
  });
});
