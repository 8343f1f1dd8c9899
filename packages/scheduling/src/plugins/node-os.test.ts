import { describe } from "vitest";
import { aNode, aPod } from "../testing/builders.ts";
import { checkFilters } from "../testing/check-filters.ts";

describe("NodeOS", () => {
  const other = ["node(s) had a different operating system from the pod"];
  const os = (name: string) => ({ labels: { "kubernetes.io/os": name } });
  const nodes = [aNode("a", os("linux")), aNode("b", os("windows")), aNode("c")];
  checkFilters({
    "a pod of Windows fits no node of Linux": {
      pod: aPod("web", { spec: { os: { name: "windows" } } }),
      nodes,
      expected: { a: other, b: undefined, c: undefined },
    },
    "a pod of Linux fits no node of Windows": {
      pod: aPod("web", { spec: { os: { name: "linux" } } }),
      nodes,
      expected: { a: undefined, b: other, c: undefined },
    },
    "a system that no node has fits only nodes that name none": {
      pod: aPod("web", { spec: { os: { name: "windows" } } }),
      nodes: [aNode("a", os("linux")), aNode("c")],
      expected: { a: other, c: undefined },
    },
    "a pod that names no system fits every node": {
      pod: aPod("web"),
      nodes,
      expected: { a: undefined, b: undefined, c: undefined },
    },
  });
});
