import { describe } from "vitest";
import { aNode, aPod } from "../testing/builders.ts";
import { checkFilters } from "../testing/check-filters.ts";

describe("NodeResourcesFit and NodePorts", () => {
  const ports = ["node(s) didn't have free ports for the requested pod ports"];

  checkFilters({
    "what is left of a node is what counts": {
      pod: aPod("web", { requests: { cpu: "1500m", memory: "1Gi" } }),
      nodes: [aNode("a"), aNode("b"), aNode("c")],
      placed: {
        a: [aPod("x", { requests: { cpu: "2500m" } })],
        b: [aPod("y", { requests: { cpu: "2501m" } })],
        c: [aPod("z", { requests: { memory: "7.5Gi" } })],
      },
      expected: { a: undefined, b: ["Insufficient cpu"], c: ["Insufficient memory"] },
      evictionMayHelp: ["b", "c"],
    },
    "every resource that is missing is named": {
      pod: aPod("web", { requests: { cpu: "5", memory: "9Gi", "ephemeral-storage": "1Gi", "example.com/gpu": "1" } }),
      nodes: [aNode("a")],
      expected: {
        a: [
          "Insufficient cpu",
          "Insufficient memory",
          "Insufficient ephemeral-storage",
          "Insufficient example.com/gpu",
        ],
      },
      evictionMayHelp: [],
    },
    "a node takes only so many pods": {
      pod: aPod("web"),
      nodes: [aNode("a", { allocatable: { pods: "1" } })],
      placed: { a: [aPod("x")] },
      expected: { a: ["Too many pods"] },
      evictionMayHelp: ["a"],
    },
    "init containers count by their hungriest moment": {
      pod: aPod("web", {
        requests: { cpu: "1" },
        spec: { initContainers: [{ name: "init", resources: { requests: { cpu: "5" } } }] },
      }),
      nodes: [aNode("a"), aNode("big", { allocatable: { cpu: "8" } })],
      expected: { a: ["Insufficient cpu"], big: undefined },
    },
    "a port of the node is taken once per protocol": {
      pod: aPod("web", { hostPort: 80 }),
      nodes: [aNode("a"), aNode("b")],
      placed: { a: [aPod("x", { hostPort: 80 })], b: [aPod("y", { hostPort: 81 })] },
      expected: { a: ports, b: undefined },
      evictionMayHelp: ["a"],
    },
    "claims of volumes, which do not exist here, keep a pod waiting": {
      pod: aPod("web", { spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "disk" } }] } }),
      nodes: [aNode("a")],
      expected: { a: ['persistentvolumeclaim "disk" not found'] },
      evictionMayHelp: [],
    },
  });
});
