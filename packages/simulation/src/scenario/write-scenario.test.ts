import fc from "fast-check";
import { expect, test } from "vitest";
import { settingsOf } from "../faults/fault-settings.ts";
import { faults } from "../faults/faults.ts";
import { serviceNames } from "../faults/targets.ts";
import { parseScenario, type ScenarioFile } from "./parse-scenario.ts";
import { someTimerFlags as timerFlags } from "./testing/some-timer-flags.ts";
import type { PlannedFault, Scenario } from "./scenario.ts";
import { writeScenario } from "./write-scenario.ts";

const nodes = fc.oneof(
  fc.integer({ min: 1, max: 5 }).map((count) => Array.from({ length: count }, (_, at) => ({ name: `node-${at + 1}` }))),
  fc.constant([{ name: "a", zone: "north" }, { name: "b" }]),
);
const optional = <T>(key: string, values: fc.Arbitrary<T>) =>
  fc.option(values, { nil: undefined }).map((value) => (value === undefined ? {} : { [key]: value }));
const merged = (...parts: fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as object);

const workload = merged(
  fc.record({ replicas: fc.integer({ min: 0, max: 9 }) }),
  optional("kind", fc.constant("Deployment")),
  optional("cpu", fc.constantFrom("100m", "2")),
  optional("memory", fc.constant("64Mi")),
  optional("script", fc.constantFrom("sleep 7; exit 1", 'echo "a: b" # c', "x\ny")),
  optional("minAvailable", fc.integer({ min: 0, max: 9 })),
  optional("probes", fc.boolean()),
  optional("volumes", fc.boolean()),
  optional("important", fc.boolean()),
  optional("tolerationSeconds", fc.integer({ min: 0, max: 600 })),
  optional("rebalance", fc.boolean()),
  optional("escalation", fc.constant("containerRestarts=3,podRestarts=2")),
  optional(
    "liveness",
    fc.record({ exec: fc.constant("test -f /ok"), periodMs: fc.constant(5000), failureThreshold: fc.constant(2) }),
  ),
) as fc.Arbitrary<Omit<Scenario["workloads"][number], "name">>;

const scenario: fc.Arbitrary<Scenario> = fc
  .tuple(
    merged(
      fc.record({
        name: fc.constantFrom("seed-7", "x"),
        seed: fc.nat(),
        profile: fc.constantFrom("fast", "default", "kubernetes"),
        mode: fc.constantFrom("safety", "liveness"),
        nodes,
        durationMs: fc.integer({ min: 1, max: 9_000_000 }),
        world: merged(
          fc.record({ bus: fc.boolean(), leaderElection: fc.boolean(), latencyMaxMs: fc.nat({ max: 500 }) }),
          optional("rebalance", fc.constant(true)),
          optional("quota", merged(fc.record({ pods: fc.nat({ max: 1000 }) }), optional("cpu", fc.constant("4")))),
          optional("operationsPerSecond", fc.constantFrom(0, 0.5, 10)),
          optional("kept", fc.record({ eventsMin: fc.integer({ min: 1, max: 1000 }), durationMs: fc.nat() })),
        ),
      }),
      optional(
        "timers",
        fc.record({
          nodeMonitorGracePeriodMs: fc.nat(),
          defaultTolerationSeconds: fc.nat({ max: 900 }),
          nodeEvictionRate: fc.constant(0.1),
        }),
      ),
    ) as fc.Arbitrary<Omit<Scenario, "workloads" | "faults">>,
    fc.array(workload, { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...faults), fc.nat(), fc.nat(), fc.boolean()), { maxLength: 4 }),
  )
  .map(([rest, traits, drawn]) => {
    const workloads = traits.map((trait, at) => ({ name: `app-${at + 1}`, ...trait }));
    const planned = drawn.map(([fault, at, length, isMeant]): PlannedFault => {
      const targets: Readonly<Record<string, readonly string[]>> = {
        node: rest.nodes.map(({ name }) => name),
        service: serviceNames,
        process: serviceNames,
        workload: workloads.map(({ name }) => name),
        zone: rest.nodes.flatMap(({ zone }) => zone ?? []),
      };
      const [target] = targets[fault.target] ?? [];
      return {
        fault: fault.name,
        atMs: at % rest.durationMs,
        ...(fault.lasts && isMeant ? { forMs: length } : {}),
        ...(fault.mayStay === true && !isMeant ? { stays: true as const } : {}),
        ...(target !== undefined && isMeant ? { target } : {}),
        ...(Object.keys(settingsOf(fault)).length > 0 ? { with: settingsOf(fault) } : {}),
      };
    });
    return { ...rest, workloads, faults: planned };
  });

test("every scenario that can be drawn is written so that it is parsed back unchanged", () => {
  fc.assert(
    fc.property(scenario, (drawn) => {
      const file: ScenarioFile = { description: "Drawn: with care.", scenario: drawn, expect: [] };
      expect(
        parseScenario(writeScenario(file, { timerFlags, comment: "Where it comes from.\nAnd why." }), {
          source: "x.yaml",
          timerFlags,
        }),
      ).toEqual(file);
    }),
    { numRuns: 150, seed: 3 },
  );
});

test("expectations are also written", () => {
  const text = `workloads: [{ name: web, replicas: 2 }]
expect:
  - { workload: web, downtime: "< 6m", created: 2..3 }
  - { step: a b, at: 1m, since: c, times: ">= 2" }
`;
  const file = parseScenario(text, { source: "web.yaml", timerFlags });
  expect(parseScenario(writeScenario(file, { timerFlags }), { source: "web.yaml", timerFlags })).toEqual(file);
});
