import type { PlannedFault } from "@kintsugi/simulation";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../support/samples.ts";
import { type PlanOutcome, runPlan, scaling } from "./enumerated-plans.ts";

// Runs all plans, instead of random choices (Sieve, OSDI 2022): a process crashes before and after
// each of its writes and each of its calls, and each of its views is stale or incomplete. In every
// plan as many objects are created and removed as without the fault, and the end is the same.

const second = 1000;
/** Far more than any of these runs makes; a process that writes more often is in a loop. */
const stepsMax = 60;
/**
 * A death before a write has the same result as a death after the previous write: the sample has
 * "after".
 */
const moments = sampleOf(["after", "before"] as const, 2);
const timeLimitMs = 120_000;

let withoutFaults: Promise<PlanOutcome> | undefined;

/** The same run when nothing fails, simulated once. */
function faultless(): Promise<PlanOutcome> {
  return (withoutFaults ??= runPlan(scaling([])));
}

/**
 * The node has several pods for all random choices: with five pods on two nodes, it is the node
 * with more.
 */
const busiest = "the busiest node";

async function nameOf(target: string): Promise<string> {
  return target === busiest ? (await faultless()).busiestNode : target;
}

test("without faults five pods are created, three are removed, and two run", async () => {
  const { result, outcome } = await faultless();
  expect(result.failure).toBeUndefined();
  expect(outcome).toMatchObject({
    created: { "core/pods": 5, "apps/replicasets": 1, "core/nodes": 2 },
    deleted: { "core/pods": 3 },
    end: { pods: 2, ready: 2, containers: 2, sandboxes: 2 },
    restarts: 0,
  });
});

/** @returns whether the fault had an effect. */
async function expectNoDifference(fault: PlannedFault): Promise<boolean> {
  const { result, outcome } = await runPlan(scaling([fault]));
  const expected = { ...(await faultless()).outcome, restarts: restartsOf(fault) };
  expect({ fault, failure: result.failure, outcome }).toEqual({ fault, failure: undefined, outcome: expected });
  return (result.faults[fault.fault]?.reached ?? 0) > 0;
}

/**
 * A container that was created when its kubelet crashed, and not started, counts: the next kubelet
 * creates another container, as upstream's does (ShouldContainerBeRestarted). Its pod may be
 * removed later.
 */
function restartsOf({ fault }: PlannedFault): unknown {
  return fault === "kill-kubelet-at-call" ? expect.toSatisfy((restarts) => restarts === 0 || restarts === 1) : 0;
}

/**
 * Runs the plan of each step, until a run does not reach its step. @returns the number of steps.
 */
async function eachStep(plan: (step: number) => PlannedFault): Promise<number> {
  for (let step = 1; step <= stepsMax; step++) if (!(await expectNoDifference(plan(step)))) return step - 1;
  throw new Error(`there are more than ${stepsMax} steps`);
}

describe.each(moments)("killed %s each of its writes", (moment) => {
  test.each([
    ["controller-manager", 8],
    ["scheduler", 2],
    [busiest, 6],
  ])("%s leaves no trace", { timeout: timeLimitMs }, async (who, stepsMin) => {
    const target = await nameOf(who);
    const steps = await eachStep((write) => ({ fault: "kill-at-write", atMs: 0, target, with: { write, moment } }));
    expect(steps).toBeGreaterThanOrEqual(stepsMin);
  });
});

test.each(moments)(
  "a kubelet that is killed %s each of its calls to the runtime leaves no trace",
  { timeout: timeLimitMs },
  async (moment) => {
    const target = await nameOf(busiest);
    const plan = (call: number) => ({
      fault: "kill-kubelet-at-call",
      atMs: 0,
      target,
      with: { call, moment },
    });
    expect(await eachStep(plan)).toBeGreaterThan(3);
  },
);

test.each([
  ["controller-manager", "pods"],
  ["controller-manager", "nodes"],
  ["controller-manager", "replicasets"],
  ["scheduler", "pods"],
  ["scheduler", "nodes"],
  [busiest, "pods"],
])(
  "%s never receives an event of %s, and still completes its work",
  { timeout: timeLimitMs },
  async (who, resource) => {
    const target = await nameOf(who);
    await expectNoDifference({ fault: "hide-events", atMs: 0, forMs: 20 * second, target, with: { resource } });
  },
);

test.each(["controller-manager", "scheduler", busiest])(
  "%s starts with lists that are 5 s old, and does not repeat work",
  { timeout: timeLimitMs },
  async (who) => {
    const target = await nameOf(who);
    const restart = { fault: "rolling-restart", atMs: 900, with: { everyMs: 0 } };
    const stale = { fault: "stale-list", atMs: 0, forMs: 12 * second, target, with: { delayMs: 5 * second } };
    const { result, outcome } = await runPlan(scaling([restart, stale]));
    const expected = (await faultless()).outcome;
    expect({ failure: result.failure, outcome }).toEqual({ failure: undefined, outcome: expected });
  },
);
