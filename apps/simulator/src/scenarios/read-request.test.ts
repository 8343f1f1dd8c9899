import { expect, test } from "vitest";
import { readRequest } from "./read-request.ts";

const texts = new Map([
  ["calm", "name: calm\ndescription: Nothing happens.\nworkloads: [{ name: web, replicas: 2 }]\nrun: 5m\n"],
  [
    "dead",
    "name: dead\ndescription: A node dies.\nworkloads: [{ name: web, replicas: 2 }]\n" +
      "faults: [{ at: 1m, fault: kill-node, node: node-1, stays: true }]\nrun: 5m\nexpect: [{ workload: web, created: 2 }]\n",
  ],
]);
const request = { scenario: "dead", faults: [], settings: [] };
const read = (more: object) => readRequest({ ...request, ...more }, texts);

test("an unchanged scenario keeps its expectations", () => {
  expect(read({}).expect.length).toBe(1);
});

test("added faults and settings are part of the run, which is long enough to show their effects", () => {
  const fault = { atMs: 90_123, fault: "kill-node", node: "node-2" };
  const { scenario, expect: expectations } = read({ faults: [fault], settings: ["profile=fast"] });
  expect(scenario.faults).toEqual([
    expect.objectContaining({ fault: "kill-node", atMs: 60_000, target: "node-1" }),
    expect.objectContaining({ fault: "kill-node", atMs: 90_123, target: "node-2" }),
  ]);
  expect(scenario.profile).toBe("fast");
  expect(scenario.durationMs).toBe(90_123 + 8 * 60_000);
  expect(expectations).toEqual([]);
  const cut = { atMs: 1000, fault: "cut-node", node: "node-1", forMs: 120_000 };
  expect(read({ scenario: "calm", faults: [cut] }).scenario.faults).toEqual([
    expect.objectContaining({ fault: "cut-node", atMs: 1000, forMs: 120_000 }),
  ]);
});

test.each([
  [{ scenario: "none" }, 'there is no scenario "none"'],
  [{ faults: Array.from({ length: 21 }, () => ({ atMs: 0, fault: "kill-node", node: "node-1" })) }, "at most 20"],
  [{ settings: Array.from({ length: 21 }, () => "nodes=3") }, "at most 20"],
  [{ settings: ["run=2h"] }, "at most 60 minutes"],
  [{ faults: [{ atMs: 0, fault: "kill-node", node: "node-9" }] }, "node-9"],
  [{ settings: ["profile=slow"] }, "profile"],
])("the request %j is rejected with a reason", (more, because) => {
  expect(() => read(more)).toThrow(because);
});
