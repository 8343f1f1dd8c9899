import type { Pod } from "@kintsugi/api";
import { describe } from "vitest";
import { aNode, aPod } from "../testing/builders.ts";
import { checkFilters } from "../testing/check-filters.ts";

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const nodeAffinityOf = (...nodeSelectorTerms: object[]) =>
  ({ affinity: { nodeAffinity: { [required]: { nodeSelectorTerms } } } }) as Pod["spec"] & object;

describe("NodeAffinity", () => {
  const mismatch = ["node(s) didn't match Pod's node affinity/selector"];
  const nodes = [
    aNode("a", { labels: { disk: "ssd", cores: "8" } }),
    aNode("b", { labels: { disk: "hdd", cores: "32" } }),
    aNode("c"),
  ];
  const expression = (operator: string, key: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });

  checkFilters({
    "nodeSelector asks for every label": {
      pod: aPod("web", { spec: { nodeSelector: { disk: "ssd", cores: "8" } } }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    In: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("In", "disk", "ssd", "nvme")) }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    "NotIn also takes nodes without the label": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("NotIn", "disk", "ssd")) }),
      nodes,
      expected: { a: mismatch, b: undefined, c: undefined },
    },
    Exists: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Exists", "disk")) }),
      nodes,
      expected: { a: undefined, b: undefined, c: mismatch },
    },
    DoesNotExist: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("DoesNotExist", "disk")) }),
      nodes,
      expected: { a: mismatch, b: mismatch, c: undefined },
    },
    "Gt compares numbers, not texts": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Gt", "cores", "9")) }),
      nodes,
      expected: { a: mismatch, b: undefined, c: mismatch },
    },
    Lt: {
      pod: aPod("web", { spec: nodeAffinityOf(expression("Lt", "cores", "9")) }),
      nodes,
      expected: { a: undefined, b: mismatch, c: mismatch },
    },
    "one of several terms is enough": {
      pod: aPod("web", { spec: nodeAffinityOf(expression("In", "disk", "ssd"), expression("Gt", "cores", "9")) }),
      nodes,
      expected: { a: undefined, b: undefined, c: mismatch },
    },
    "a term that asks for nothing matches nothing": {
      pod: aPod("web", { spec: nodeAffinityOf({}) }),
      nodes,
      expected: { a: mismatch, b: mismatch, c: mismatch },
    },
    "a DaemonSet's pod names its node": {
      pod: aPod("web", {
        spec: nodeAffinityOf({ matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] }),
      }),
      nodes,
      // The other nodes are skipped, and have no reason.
      expected: { a: undefined, b: undefined, c: undefined },
      feasible: ["b"],
      passedOver: { count: 2, because: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] },
    },
    "a pod that asks for two nodes at once fits none": {
      pod: aPod("web", {
        spec: nodeAffinityOf({
          matchFields: [
            { key: "metadata.name", operator: "In", values: ["a"] },
            { key: "metadata.name", operator: "In", values: ["b"] },
          ],
        }),
      }),
      nodes: [aNode("a"), aNode("b")],
      expected: { a: ["pod affinity terms conflict"], b: ["pod affinity terms conflict"] },
    },
  });
});
