import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { profiles } from "@kintsugi/api";
import { flagsOfTimers } from "@kintsugi/simulation";
import { changeScenario, findScenario, readRequest, timerFlags } from "@kintsugi/simulator/factory";
import { judgePrediction, type Lesson, lessons, type PlayRequest, playSettings } from "@kintsugi/story";
import { expect, test } from "vitest";
import { figures } from "../../apps/dashboard/src/articles/figures.ts";
import { checkProof, simulateLesson, readProof, shippedScenarioNames } from "../support/simulated-lesson.ts";

// One lesson is played here; test/slow/lessons.test.ts plays them all.

const repository = fileURLToPath(new URL("../..", import.meta.url));
const directory = join(repository, "apps/simulator/scenarios");

const documentsWithLessons = readdirSync(join(repository, "docs"))
  .filter((file) => file.endsWith(".md"))
  .map((file): [string, string] => [file, readFileSync(join(repository, "docs", file), "utf8")])
  .filter(([, text]) => text.includes("<!-- lesson: "));

const simulated = lessons.flatMap(({ id, subject }) => (subject.is === "run" ? [{ id, subject }] : []));
const rehearsed = lessons.flatMap(({ id, subject, prediction }) =>
  subject.is === "rehearsal" ? [{ id, subject, prediction }] : [],
);

test("the first lesson is correct, its goal is missed by the unchanged run, and reached by its solution", async () => {
  const [lesson] = lessons as [Lesson];
  if (lesson.subject.is !== "run") throw new Error("the first lesson is no run");
  const run = await simulateLesson(lesson, lesson.subject);
  expect(run.report.failure).toBeUndefined();
  expect(checkProof(lesson.subject, run.report).filter(({ isMet }) => !isMet)).toEqual([]);
  expect(judgePrediction(lesson.prediction, 340, run.recording)).toEqual({ isRight: true, truth: 349 });
  expect(run.asItIs().isMet).toBe(false);
  expect(await run.solved()).toMatchObject({ isMet: true, changes: 1 });
}, 120_000);

test("every scenario is in a lesson, five lessons have a control plane of three, and three rehearse a cluster", () => {
  const names = simulated.map(({ subject }) => subject.request.scenario);
  expect(shippedScenarioNames.filter((name) => !names.includes(name))).toEqual([]);
  const ofThree = names.filter((name) => /servers: 3/.test(findScenario(name, directory).text));
  expect(new Set(ofThree).size).toBe(5);
  expect(rehearsed.length).toBe(3);
});

test.each(simulated)("the lesson $id has a proof, and Kubernetes' timers", ({ subject }) => {
  expect(subject.proof.length).toBeGreaterThan(0);
  expect(readProof(subject).length).toBe(subject.proof.length);
  expect(subject.request.settings).toEqual(["profile=kubernetes"]);
  expect(findScenario(subject.request.scenario, directory).text).not.toMatch(/^(timers|profile):/m);
});

test.each(Object.entries(figures))(
  "the figure %s of an article begins with Kubernetes' timers",
  (_, { request, knob }) => {
    expect(request.settings[0]).toBe("profile=kubernetes");
    expect(request.settings.filter((each) => each.startsWith("timers."))).toEqual([]);
    const [, flag] = /^timers\.(.+)$/.exec(knob?.setting ?? "") ?? [];
    if (flag === undefined) return;
    expect(knob?.values[0]?.[0]).toBe(flagsOfTimers(timerFlags, profiles.kubernetes)[flag]);
  },
);

test.each(documentsWithLessons)("the document %s states Kubernetes' timers next to others", (_, text) => {
  if (!text.includes("--profile fast")) return;
  expect(text).toContain("50 s");
  expect(text).toContain("300 s");
});

test.each(rehearsed)("the rehearsal $id has an example and a proof", ({ subject, prediction }) => {
  expect(subject.proof.length).toBeGreaterThan(0);
  expect(existsSync(join(repository, "demo/rehearsals", subject.example, "cluster.yaml"))).toBe(true);
  expect(prediction.is).toBe("choice");
});

test.each(lessons.flatMap(({ id, code }) => code.map(({ path }) => [id, path])))(
  "the lesson %s leads to existing code: %s",
  (_, path) => expect(existsSync(join(repository, path ?? ""))).toBe(true),
);

const offered = lessons.flatMap(({ subject, goal }) =>
  subject.is === "run" && goal !== undefined
    ? goal.knobs.flatMap(({ setting, values }) =>
        values.map((value) => ({ scenario: subject.request.scenario, change: `${setting}=${value}` })),
      )
    : [],
);
const knobs = lessons.flatMap(({ id, subject, goal }) =>
  subject.is === "run" && goal !== undefined ? goal.knobs.map((knob) => ({ id, request: subject.request, knob })) : [],
);

test.each(knobs)("the lesson $id names the value of $knob.setting as it is", ({ request, knob }) => {
  const { setting, values, asItIs } = knob;
  const after = (...more: string[]) => writtenWithTimers({ ...request, settings: [...request.settings, ...more] });
  expect(after(`${setting}=${asItIs}`)).toEqual(after());
  for (const other of values.filter((value) => value !== asItIs))
    expect(after(`${setting}=${other}`)).not.toEqual(after());
});

/** The scenario of a request with all of its timers. */
function writtenWithTimers(request: PlayRequest) {
  const { text } = findScenario(request.scenario, directory);
  const { scenario } = readRequest(request, new Map([[request.scenario, text]]));
  return { ...scenario, timers: { ...profiles[scenario.profile], ...scenario.timers } };
}

const general = Object.entries(playSettings).flatMap(([name, { values }]) =>
  values.map((value) => ({ scenario: "node-dead", change: `${name}=${value}` })),
);

test.each([...offered, ...general])("$scenario can be changed by $change", ({ scenario, change }) => {
  expect(() => changeScenario(findScenario(scenario, directory), change)).not.toThrow();
});
