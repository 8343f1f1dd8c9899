import { readFileSync } from "node:fs";
import { profiles, type TimerProfile } from "@kintsugi/api";
import { expect, test } from "vitest";
import { timerFlags } from "./timer-flags.ts";

/** Timers of services that simulated clusters do not have. */
const notSimulated: readonly (keyof TimerProfile)[] = ["proxyMinSyncPeriodMs"];

const named = (flag: string) => timerFlags.find((each) => each.flag === flag);

test("each timer of a profile has a single flag, which its service declares", () => {
  const timers = Object.keys(profiles.default).filter((timer) => !notSimulated.some((each) => each === timer));
  expect(timerFlags.map(({ timer }) => timer).toSorted()).toEqual(timers.toSorted());
});

test("a flag is parsed and written in its own unit", () => {
  expect(named("pod-eviction-timeout")?.timer).toBe("defaultTolerationSeconds");
  expect(named("pod-eviction-timeout")?.read("1m30s")).toBe(90);
  expect(named("pod-eviction-timeout")?.write(90)).toBe("1m30s");
  expect(named("node-lease-duration")?.read("40s")).toBe(40_000);
  expect(named("node-eviction-rate")?.read("0.5")).toBe(0.5);
  expect(named("eviction-pdb-policy")?.read("respect")).toBe("respect");
  expect(() => named("eviction-pdb-policy")?.read("never")).toThrow('"never" must be one of ignore, respect.');
});

test("the recipe names the flag of every timer", () => {
  const recipe = readFileSync(new URL("../../../../docs/recipes/write-a-scenario.md", import.meta.url), "utf8");
  expect(recipe.replaceAll(/\s+/g, " ")).toContain(
    `Timers: ${timerFlags.map(({ flag }) => `\`${flag}\``).join(", ")}.`,
  );
});
