import { expect, test } from "vitest";
import { controllers } from "./controllers.ts";
import { enabledControllers } from "./enabled-controllers.ts";

const namesFor = (...words: string[]) => enabledControllers(words).map(({ name }) => name);
const all = controllers.map(({ name }) => name as string);

test("a star enables every controller", () => {
  expect(namesFor("*")).toEqual(all);
});

test("a name with a minus disables that controller alone", () => {
  expect(namesFor("*", "-cron-job", "-endpointslice-controller")).toEqual(
    all.filter((name) => name !== "cron-job" && name !== "endpointslice"),
  );
});

test("without a star only the named controllers run", () => {
  expect(namesFor("deployment-controller", "replicaset")).toEqual(["deployment", "replicaset"]);
});

test("the first entry that names a controller decides", () => {
  expect(namesFor("-job", "job")).toEqual([]);
  expect(namesFor("job", "-job")).toEqual(["job"]);
});

test.each(["jobs", "-jobs"])("a name that no controller has is rejected: %s", (word) => {
  expect(() => enabledControllers(["*", word])).toThrow(
    /--controllers: there is no controller "jobs"; the names are bootstrap-tokens, /,
  );
});
