import { SeededRandom } from "@kintsugi/clock/simulated";
import { InvalidFile } from "@kintsugi/yaml-text";
import { expect, test } from "vitest";
import { incidents } from "../gym/incidents/incidents.ts";
import { readGameDay } from "./gameday-file.ts";

const read = (yaml: string) => readGameDay(yaml, { source: "day.yaml", incidents }, (seed) => new SeededRandom(seed));

test("a file that contains only incidents gets defaults for all other fields", () => {
  const plan = read("incidents: [waiting-pods, lost-visitors]");
  expect(plan).toMatchObject({ title: "Game day", teams: ["team"], seed: 1, quietMs: 180_000, mendMs: 1_800_000 });
  expect(plan.incidents.map(({ name }) => name)).toEqual(["waiting-pods", "lost-visitors"]);
});

test("a drawn order has the same incidents, and the seed decides it", () => {
  const names = incidents.map(({ name }) => name);
  const drawn = (seed: number) =>
    read(`{ order: drawn, seed: ${seed}, incidents: [${names.join(", ")}] }`).incidents.map(({ name }) => name);
  expect(drawn(7).toSorted()).toEqual(names.toSorted());
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(7)).not.toEqual(drawn(8));
});

test.each([
  [
    "incidents: [waiting-pod]",
    'day.yaml:1:13: incidents[1]: there is no incident "waiting-pod": did you mean "waiting-pods"?',
  ],
  ["incidents: []", "incidents: is empty"],
  ["teams: [a]", "incidents"],
  ["{ incidents: [waiting-pods], team: blue }", "team"],
  ["{ incidents: [waiting-pods], teams: [Blue, blue] }", '"blue" is too similar to another team\'s name'],
  ["{ incidents: [waiting-pods], teams: [a, b, c, d, e] }", "has more than 4 teams"],
  ["{ incidents: [waiting-pods], limits: { mend: soon } }", '"soon" is not a duration; write for example 90s or 5m'],
  ["{ incidents: [waiting-pods], limits: { mend: 1s } }", '"1s" is not from 1m to 4h'],
  ["{ incidents: [waiting-pods], order: random }", "order"],
  ["incidents: [waiting-pods", "day.yaml:1"],
])("%s is refused with a sentence", (yaml, sentence) => {
  expect(() => read(yaml)).toThrow(InvalidFile);
  expect(() => read(yaml)).toThrow(sentence);
});
