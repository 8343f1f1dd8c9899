import { expect, test } from "vitest";
import { faults } from "../faults/faults.ts";
import { parseFaults } from "./parse-scenario.ts";

const cluster = {
  source: "lost.yaml",
  known: faults.filter(({ name }) => name === "kill-node" || name === "lose-zone"),
  nodes: [{ name: "ip-10-0-0-7.ec2.internal", zone: "a" }],
  workloads: [{ name: "shop/deployment/web" }],
};

test("a scenario for an imported cluster has faults with the cluster's targets", () => {
  const text = "faults:\n  - { at: 1m, fault: kill-node, node: ip-10-0-0-7.ec2.internal, for: 5m }\nrun: 10m\n";
  expect(parseFaults(text, cluster)).toEqual({
    name: "lost",
    description: "",
    faults: [{ fault: "kill-node", atMs: 60_000, forMs: 300_000, target: "ip-10-0-0-7.ec2.internal" }],
    durationMs: 600_000,
  });
});

test.each([
  ["faults: [{ at: 1m, fault: kill-node, node: b }]", /unknown node "b"/],
  ["faults: [{ at: 1m, fault: lose-zone, zone: b }]", /unknown zone "b"/],
  ["faults: [{ at: 1m, fault: scale }]", /unknown fault "scale"/],
  ["faults: [{ at: 20m, fault: kill-node }]", /20m is after the run, which ends at 15m/],
  ["faults: []", /faults/],
  ["nodes: 3\nfaults: [{ at: 1m, fault: kill-node }]", /nodes/],
])("%s is rejected", (text, sentence) => {
  expect(() => parseFaults(text, cluster)).toThrow(sentence);
});
