import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { changeScenario, findScenario, readScenario, recordScenario } from "@kintsugi/simulator/factory";
import { judgeGoal, judgePrediction, lessons, playSettings, type StoryRecording } from "@kintsugi/story";
import { describe, expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const directory = join(repository, "apps/simulator/scenarios");

async function lived(scenario: string, settings: readonly string[]): Promise<StoryRecording> {
  const text = findScenario(scenario, directory);
  const file = settings.length === 0 ? readScenario(text) : changeScenario(text, settings.join(","));
  return (await recordScenario(file)).story();
}

describe.each(lessons.filter(({ goal }) => goal !== undefined))("the goal of the lesson $id", (lesson) => {
  const { goal, request } = lesson;
  if (goal === undefined) return;
  const judge = async (settings: readonly string[]) => {
    const own = { ...request, settings };
    return judgeGoal(goal, { lesson, request: own, recording: await lived(request.scenario, settings) });
  };

  test("is missed by the life as it is, and reached by its solution", async () => {
    expect((await judge(request.settings)).isMet).toBe(false);
    expect((await judge([...request.settings, ...goal.solution])).isMet).toBe(true);
  }, 180_000);
});

test("the life of the first lesson has the truth that its debrief tells", async () => {
  const [lesson] = lessons;
  if (lesson === undefined) throw new Error("there is no lesson");
  const { truth } = judgePrediction(lesson.prediction, 0, await lived(lesson.request.scenario, []));
  expect(truth).toBeGreaterThan(325);
  expect(truth).toBeLessThan(345);
});

test.each(lessons.flatMap(({ id, code }) => code.map(({ path }) => [id, path])))(
  "the lesson %s leads to code that is there: %s",
  (_, path) => expect(existsSync(join(repository, path ?? ""))).toBe(true),
);

test.each(Object.entries(playSettings).flatMap(([name, { values }]) => values.map((value) => `${name}=${value}`)))(
  "the playground's setting %s is one that scenarios have",
  (setting) => {
    expect(() => changeScenario(findScenario("node-dead", directory), setting)).not.toThrow();
  },
);
