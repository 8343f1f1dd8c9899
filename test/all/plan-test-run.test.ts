import { expect, test } from "vitest";
import { planTestRun } from "./plan-test-run.ts";

test("all tests are run, with their requirements", () => {
  expect(planTestRun([])).toEqual({ installs: true, bundles: true, vitest: ["run"] });
});

test("a first look needs no packages and no bundles", () => {
  expect(planTestRun(["--quick"])).toEqual({
    installs: false,
    bundles: false,
    vitest: ["run", "--project=tidy", "--project=unit"],
  });
});

test("files and options are passed to vitest", () => {
  expect(planTestRun(["--no-install", "probes", "-t", "a probe"])).toEqual({
    installs: false,
    bundles: true,
    vitest: ["run", "probes", "-t", "a probe"],
  });
});
