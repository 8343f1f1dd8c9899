import { join } from "node:path";
import { lessons } from "@kintsugi/story";
import { expect, test } from "vitest";
import { UsageError } from "../scenarios/find-scenario.ts";
import { playInDialogue } from "./learn-command.ts";

const folder = join(import.meta.dirname, "../..");
const unset = { answer: undefined, change: undefined, hints: 0, real: false, keep: false };

/** Plays a lesson without a terminal. */
async function played(lesson: string, flags: { answer?: string; change?: string; hints?: number }) {
  const lines: string[] = [];
  const code = await playInDialogue(
    lesson,
    { ...unset, kubeconfig: undefined, context: undefined, ...flags },
    {
      shippedDirectory: join(folder, "scenarios"),
      examplesDirectory: join(folder, "../../demo/rehearsals"),
      kintsugiCommand: ["kintsugi"],
      say: (line) => lines.push(line),
      learner: undefined,
    },
  );
  return { code, lines };
}

test("a change is tried without a second prediction, and misses or meets the goal", async () => {
  const missed = await played("4", { change: "timers.node-monitor-grace-period=50s" });
  expect(missed.code).toBe(1);
  expect(missed.lines).toContain("  ✗ web: 1 created pod of at most 0");
  expect(missed.lines).toContain("  timers.pod-eviction-timeout=0s | 30s | 5m | 10m  (Pods stay for, as it is: 5m)");
  expect(missed.lines).toContain("Try a change: kintsugi learn 4 --change timers.node-monitor-grace-period=30s");
  const { goal } = lessons[3] ?? {};
  const met = await played("4", { change: goal?.solution.join(",") ?? "" });
  expect(met.code).toBe(0);
  expect(met.lines).toContain("The goal is met.");
  expect(met.lines.join("\n")).not.toContain("Predict the outcome");
  expect(met.lines.at(-1)).toBe("Next: kintsugi learn 5  (The node returns too late)");
}, 60_000);

test("a value with spaces is listed on its own line, and quoted for the shell", async () => {
  const { lines } = await played("10", { answer: "7" });
  expect(lines).toContain("  It uses the memory after, as it is: sleep 20; tail /dev/zero");
  expect(lines).toContain("    workloads.hungry.script=sleep 60; tail /dev/zero");
  expect(lines).toContain(
    "Try a change: kintsugi learn 10 --change 'workloads.hungry.script=sleep 60; tail /dev/zero'",
  );
}, 60_000);

test.each([{ change: "nodes=4" }, { hints: 1 }])("a lesson without a goal rejects %o", async (flags) => {
  const playing = played("2", { answer: "1", ...flags });
  await expect(playing).rejects.toThrow(UsageError);
  await expect(playing).rejects.toThrow("is for a goal, and lesson 2 has no goal");
});

test("the last lesson has no next lesson", async () => {
  const { lines } = await played(String(lessons.length), { answer: "1" });
  expect(lines.join("\n")).not.toContain("Next:");
}, 60_000);
