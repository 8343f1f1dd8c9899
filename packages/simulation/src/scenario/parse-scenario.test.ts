import { simulatedNodesMax } from "@kintsugi/api";
import { InvalidFile } from "@kintsugi/yaml-text";
import { describe, expect, test } from "vitest";
import { parseScenario } from "./parse-scenario.ts";
import { someTimerFlags as timerFlags } from "./testing/some-timer-flags.ts";

const smallest = "workloads: [{ name: web, replicas: 2 }]\n";

/** Returns the messages about a text that is not a valid scenario. */
function complaints(text: string): string[] {
  try {
    parseScenario(text, { source: "s.yaml", timerFlags });
  } catch (error) {
    if (error instanceof InvalidFile) return error.message.split("\n");
    throw error;
  }
  return [];
}

test("an omitted field has a default that is written in the recipe", () => {
  expect(parseScenario(smallest, { source: "dir/My Web.yaml", timerFlags })).toEqual({
    description: "",
    expect: [],
    scenario: {
      name: "my-web",
      seed: 1,
      profile: "default",
      mode: "safety",
      nodes: [{ name: "node-1" }, { name: "node-2" }, { name: "node-3" }],
      workloads: [{ name: "web", replicas: 2 }],
      faults: [],
      durationMs: 900_000,
      world: { bus: true, leaderElection: true, latencyMaxMs: 0 },
    },
  });
});

test("a scenario may have only as many nodes as seeds can draw, so that it can be run again", () => {
  const of = (nodes: number) =>
    parseScenario(`nodes: ${nodes}\n${smallest}`, { source: "s.yaml", timerFlags }).scenario.nodes;
  expect(of(simulatedNodesMax)).toHaveLength(simulatedNodesMax);
  expect(() => of(simulatedNodesMax + 1)).toThrow(InvalidFile);
});

test("everything can be expressed in the words of Kubernetes and its flags", () => {
  const { scenario, expect: wanted } = parseScenario(
    `
profile: kubernetes
timers: { node-monitor-grace-period: 20s, pod-eviction-timeout: 1m30s, eviction-pdb-policy: respect, node-eviction-rate: 0.5 }
nodes: [a, { name: b, zone: north }]
workloads:
  - { name: web, replicas: 6, cpu: 500m, memory: 64Mi, budget: { minAvailable: 4 }, toleration-seconds: 5, spread: zone }
  - { name: job, replicas: 1, script: "sleep 5; exit 1", liveness: { exec: "test -f /ok", period: 5s } }
faults:
  - { at: 90s, fault: kill-node, node: b, for: 10m }
  - { at: 1h30m, fault: kill-service, service: scheduler }
run: 2h
expect:
  - { workload: web, downtime: 0s, evictions: "<= 2" }
  - { step: b Ready=Unknown, at: 20s..30s, since: kill-node begins }
`,
    { source: "s.yaml", timerFlags },
  );
  expect(scenario.timers).toEqual({
    nodeMonitorGracePeriodMs: 20_000,
    defaultTolerationSeconds: 90,
    evictionPdbPolicy: "respect",
    nodeEvictionRate: 0.5,
  });
  expect(scenario.nodes).toEqual([{ name: "a" }, { name: "b", zone: "north" }]);
  expect(scenario.workloads[0]).toEqual({
    name: "web",
    replicas: 6,
    cpu: "500m",
    memory: "64Mi",
    minAvailable: 4,
    tolerationSeconds: 5,
    spread: "zone",
  });
  expect(scenario.workloads[1]?.liveness).toEqual({ exec: "test -f /ok", periodMs: 5000, failureThreshold: 3 });
  expect(scenario.faults).toEqual([
    { fault: "kill-node", atMs: 90_000, target: "b", forMs: 600_000 },
    { fault: "kill-service", atMs: 5_400_000, target: "scheduler" },
  ]);
  expect(wanted).toHaveLength(2);
});

describe("a mistake is reported with its line, its column and the nearest known word:", () => {
  test.each([
    [
      "faults: [{ at: 1m, fault: kil-node }]",
      's.yaml:2:27: faults[1].fault: unknown fault "kil-node"; did you mean "kill-node"?',
    ],
    [
      "faults:\n  - at: 1m\n    fault: kill-node\n    node: nod-2",
      's.yaml:5:11: faults[1].node: unknown node "nod-2"; did you mean "node-2"?',
    ],
    [
      "faults: [{ at: 1m, fault: kill-service, service: schedular }]",
      's.yaml:2:50: faults[1].service: unknown service "schedular"; did you mean "scheduler"?',
    ],
    [
      "faults: [{ at: 5 minutes, fault: kill-node }]",
      's.yaml:2:16: faults[1].at: "5 minutes" is not a duration; did you mean "5m"?',
    ],
    [
      "faults: [{ at: 90, fault: kill-node }]",
      's.yaml:2:16: faults[1].at: "90" is not a duration; did you mean "1m30s"?',
    ],
    [
      "faults: [{ at: soon, fault: kill-node }]",
      's.yaml:2:16: faults[1].at: "soon" is not a duration; write for example 300ms, 40s, 1m30s or 1h.',
    ],
    ["faults: [{ fault: kill-node }]", "s.yaml:2:10: faults[1].at: is missing; write for example 90s or 5m"],
    ["faults: [{ at: 1h, fault: kill-node }]", "s.yaml:2:16: faults[1].at: 1h is after the run, which ends at 15m"],
    [
      "faults: [{ at: 1m, fault: kill-node, service: scheduler }]",
      "s.yaml:2:47: faults[1].service: kill-node takes a node, not a service",
    ],
    [
      "faults: [{ at: 1m, fault: delete-pod, for: 5s }]",
      "s.yaml:2:44: faults[1].for: delete-pod ends immediately, so it has no duration",
    ],
    [
      "faults: [{ at: 1m, fault: grey-network, with: { los: 0.5 } }]",
      's.yaml:2:54: faults[1].with.los: unknown setting "los" of grey-network; did you mean "loss"?',
    ],
    [
      "faults: [{ at: 1m, fault: clock-drift, with: { rate: fast } }]",
      's.yaml:2:54: faults[1].with.rate: "fast" is not a number',
    ],
    [
      "timers: { node-monitor-grace-perod: 20s }",
      's.yaml:2:11: timers: unknown word "node-monitor-grace-perod"; did you mean "node-monitor-grace-period"?',
    ],
    ["wrokloads: []", 's.yaml:2:1: scenario: unknown word "wrokloads"; did you mean "workloads"?'],
    ["profile: kubernets", 's.yaml:2:10: profile: unknown word "kubernets"; did you mean "kubernetes"?'],
    ["nodes: [a, a]", 's.yaml:2:12: nodes[2].name: "a" is listed twice'],
    ["nodes: many", 's.yaml:2:8: nodes: "many" is not a list'],
    [
      "expect: [{ workload: webb, downtime: 0s }]",
      's.yaml:2:22: expect[1].workload: unknown workload "webb"; did you mean "web"?',
    ],
    [
      "expect: [{ workload: web, downtme: 0s }]",
      's.yaml:2:27: expect[1]: unknown word "downtme"; did you mean "downtime"?',
    ],
    [
      "expect: [{ workload: web, evictions: few }]",
      's.yaml:2:38: expect[1].evictions: "few" is not a count; write for example 2, "< 3" or 1..4.',
    ],
    ["run: 5m\nrun: 6m", "s.yaml:3:1: Map keys must be unique"],
    ["faults: [", "s.yaml:3:1: Flow sequence in block collection must be sufficiently indented and end with a ]"],
  ])("%j", (text, complaint) => {
    expect(complaints(`${smallest}${text}\n`)[0]).toBe(complaint);
  });

  test("all mistakes are reported together", () => {
    expect(complaints("workloads: [{ name: Web, replicas: x }]\nrun: long\n")).toEqual([
      's.yaml:1:21: workloads[1].name: "Web" is not a name; names have lower case letters, digits and dashes',
      's.yaml:1:36: workloads[1].replicas: "x" is not a number',
      's.yaml:2:6: run: "long" is not a duration; write for example 300ms, 40s, 1m30s or 1h.',
    ]);
  });

  test.each(["", "[]", "just a string", "3"])("text in another format: %j", (text) => {
    expect(complaints(text)[0]).toMatch(/^s\.yaml:1:1: scenario: /);
  });
});
