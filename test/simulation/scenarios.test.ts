import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderComparison, renderText, type ScenarioReport } from "@kintsugi/simulation";
import {
  changeScenario,
  findScenario,
  isAsExpected,
  playScenario,
  readScenario,
  shippedNames,
} from "@kintsugi/simulator/factory";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../support/samples.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const directory = join(repository, "apps/simulator/scenarios");

async function play(name: string, changes?: string): Promise<ScenarioReport> {
  const text = findScenario(name, directory);
  return playScenario(changes === undefined ? readScenario(text) : changeScenario(text, changes));
}

/** Returns the first time of the object's step, after the scenario began. */
function firstMs({ steps }: ScenarioReport, object: string, what: string): number | undefined {
  return steps.find((step) => step.object.startsWith(object) && `${step.what} ${step.detail}`.includes(what))?.atMs;
}

describe("a bundled scenario", () => {
  test.each(sampleOf(shippedNames(directory), 3))("%s: all its expectations are met", async (name) => {
    const report = await play(name);
    expect(report.expectations.filter(({ isMet }) => !isMet)).toEqual([]);
    expect(report.expectations.length).toBeGreaterThan(3);
    expect(isAsExpected(report)).toBe(true);
  });

  test("has its file's name, a sentence that states its purpose, and the articles' scenarios exist", () => {
    const names = shippedNames(directory);
    const stories = [
      "kubelet-restarted-quickly",
      "kubelet-stopped-past-eviction",
      "node-dead",
      "crash-loop-for-ever",
      "flapping-node",
      "zone-lost",
      "api-server-outage",
    ];
    expect(names).toEqual(expect.arrayContaining(stories));
    expect(names.length).toBeGreaterThanOrEqual(10);
    for (const name of names) {
      const { text, source } = findScenario(name, directory);
      const { scenario, description } = readScenario({ text, source });
      expect([scenario.name, description.length > 40]).toEqual([name, true]);
    }
  });
});

test("the nodes of a lost zone are marked for eviction exactly 10 s apart, and their pods 300 s after each", async () => {
  const report = await play("zone-lost");
  const given = ["b-1", "b-2"].map((node) => firstMs(report, `node/${node}`, "taint-added") ?? 0);
  expect(given[0]).toBe(given[1]);
  const noExecute = ["b-1", "b-2"].map((node) => firstMs(report, `node/${node}`, "unreachable:NoExecute") ?? 0);
  const [first = 0, second = 0] = noExecute.sort((a, b) => a - b);
  expect([first - (given[0] ?? 0), second - first]).toEqual([0, 10_000]);
  const terminating = report.steps.filter(({ what }) => what === "terminating").map(({ atMs }) => atMs);
  expect([...new Set(terminating)]).toEqual([first + 300_000, second + 300_000]);
});

test("the same scenario and seed always print the same text, and another seed prints another text", async () => {
  const show = async (changes?: string) => renderText(await play("node-dead", changes), { full: true }).join("\n");
  const first = await show();
  expect(await show()).toBe(first);
  expect(await show("seed=2")).not.toBe(first);
});

test("two settings are compared: a shorter grace period and toleration end the same outage earlier by exactly the difference", async () => {
  const before = await play("node-dead");
  const after = await play("node-dead", "timers.node-monitor-grace-period=20s,timers.pod-eviction-timeout=30s");
  const recovery = ({ workloads }: ScenarioReport) => workloads[0]?.measures.recovery ?? 0;
  expect(recovery(before) - recovery(after)).toBe(20_000 + 270_000);
  const text = renderComparison(before, after).join("\n");
  expect(text).toMatch(/^web +recovery +\S+ +\S+ +-4m50s$/m);
  expect(text).toMatch(/-20s +node\/node-2 +condition +Ready=Unknown/);
});

test("single settings are changed by the names of their programs", () => {
  const text = findScenario("flapping-node", directory);
  const { scenario } = changeScenario(text, "workloads.hasty.replicas=5,faults.2.for=10s,profile=fast");
  expect(scenario.workloads.map(({ replicas }) => replicas)).toEqual([3, 5]);
  expect(scenario.faults.map(({ forMs }) => forMs)).toEqual([90_000, 10_000, 90_000]);
  expect(scenario.profile).toBe("fast");
  expect(() => changeScenario(text, "workloads.hasti.replicas=5")).toThrow('the list does not contain "hasti"');
  expect(() => changeScenario(text, "timers.node-monitor-perod=5s")).toThrow('did you mean "node-monitor-period"?');
});
