import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Scenario, writeScenario } from "@kintsugi/simulation";
import {
  drawScenario,
  keepFailure,
  readScenario,
  runScenario,
  type ScenarioResult,
  timerFlags,
} from "@kintsugi/simulator/factory";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const minute = 60_000;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "kintsugi-failures-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

const planted = { check: "S99", message: "planted <b>bug</b>\nwith a second line", atMs: 1, revision: 1 };
/** The planted bug appears when a node is killed while the scheduler is down. */
const fails = ({ faults }: Scenario) =>
  faults.some(({ fault }) => fault === "kill-node") &&
  faults.some(({ fault, target }) => fault === "kill-service" && target === "scheduler");
const live = (scenario: Scenario) => Promise.resolve({ failure: fails(scenario) ? planted : undefined });

/** A drawn run with many faults that are unrelated to the bug. */
function aFailingScenario(): Scenario {
  for (let seed = 1; seed < 500; seed++) {
    const scenario = drawScenario(seed, { nodes: 3, profile: "fast", durationMs: 6 * minute });
    if (fails(scenario) && scenario.faults.length > 15) return scenario;
  }
  throw new Error("no seed draws such a run");
}

describe("a detected failure", () => {
  test("is minimized, and is written as a scenario that fails the same check, and as a page", async () => {
    const drawn = aFailingScenario();
    const kept = await keepFailure({ scenario: drawn, failure: planted }, { directory, runsMax: 300 }, live);
    expect(kept.scenario.faults.map(({ fault }) => fault).sort()).toEqual(["kill-node", "kill-service"]);
    expect(kept.scenario.workloads).toEqual([{ name: kept.scenario.workloads[0]?.name, replicas: 1 }]);
    expect(kept.scenario.nodes).toHaveLength(1);
    expect(kept.runs).toBeLessThan(150);
    const text = readFileSync(kept.scenarioFile, "utf8");
    expect(text).toMatch(/^# Breaks S99: planted <b>bug<\/b>\n# Found with seed \d+; \d+ of \d+ faults left out\.\n/);
    const { scenario } = readScenario({ text, source: kept.scenarioFile });
    expect(scenario).toEqual(kept.scenario);
    expect((await live(scenario)).failure?.check).toBe("S99");
    expect(readFileSync(kept.pageFile, "utf8")).toMatch(/kill-node[\s\S]*kill-service|kill-service[\s\S]*kill-node/);
  });

  test("is not minimized to another failure of the same check", async () => {
    const drawn = aFailingScenario();
    const failure = {
      check: "cluster-converges",
      atMs: 1,
      revision: 1,
      message: "node node-1 is not Ready; pod web-x1 is away",
    };
    const other = { ...failure, message: "node node-2 is lost and has no taint; pod web-z9 has not been replaced" };
    const same = { ...failure, message: "pod app-3-bs5gg is away" };
    const drifting = (scenario: Scenario) => Promise.resolve({ failure: fails(scenario) ? same : other });
    const kept = await keepFailure({ scenario: drawn, failure }, { directory, runsMax: 300 }, drifting);
    expect(kept.scenario.faults.map(({ fault }) => fault).sort()).toEqual(["kill-node", "kill-service"]);
  });

  test("is kept unchanged if no time is left to minimize it", async () => {
    const drawn = drawScenario(3, { nodes: 1, profile: "fast", durationMs: 10_000 });
    const kept = await keepFailure({ scenario: drawn, failure: planted }, { directory, runsMax: 0 }, live);
    expect(readScenario({ text: readFileSync(kept.scenarioFile, "utf8"), source: kept.scenarioFile }).scenario).toEqual(
      drawn,
    );
    expect(kept.runs).toBe(0);
  });
});

test("every scenario that a seed draws is written so that it is parsed back unchanged", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const scenario = drawScenario(seed);
    const file = { description: "", scenario, expect: [] };
    expect(readScenario({ text: writeScenario(file, { timerFlags }), source: "drawn.yaml" })).toEqual(file);
  }
});

test("a written scenario has the same run as the drawn scenario", async () => {
  const figures = ({ digest, changes, faults }: ScenarioResult) => ({ digest, changes, faults });
  const drawn = drawScenario(11, { nodes: 2, profile: "fast", durationMs: minute / 2 });
  const { scenarioFile } = await keepFailure({ scenario: drawn, failure: planted }, { directory, runsMax: 0 }, live);
  const { scenario } = readScenario({ text: readFileSync(scenarioFile, "utf8"), source: scenarioFile });
  expect(figures(await runScenario(scenario))).toEqual(figures(await runScenario(drawn)));
});
