import { silentLogger } from "@kintsugi/api";
import { expect, test } from "vitest";
import { type Loop, runUntilSignal } from "./run-until-signal.ts";

function untilAborted(name: string, ended: string[]): Loop {
  return {
    name,
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          ended.push(name);
          resolve();
        });
      }),
  };
}

test("one loop's failure ends the others and is thrown", async () => {
  const ended: string[] = [];
  const failing: Loop = { name: "failing", run: () => Promise.reject(new Error("boom")) };
  await expect(runUntilSignal([untilAborted("other", ended), failing], silentLogger)).rejects.toThrow("a loop failed");
  expect(ended).toEqual(["other"]);
});

test("a loop that returns ends the group without an error", async () => {
  const ended: string[] = [];
  await runUntilSignal([untilAborted("other", ended), { name: "short", run: () => Promise.resolve() }], silentLogger);
  expect(ended).toEqual(["other"]);
});

test("SIGTERM ends every loop, and a loop that throws its signal's reason has not failed", async () => {
  const ended: string[] = [];
  const throwing: Loop = {
    name: "throwing",
    run: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      }),
  };
  const running = runUntilSignal([untilAborted("quiet", ended), throwing], silentLogger);
  process.emit("SIGTERM", "SIGTERM");
  await running;
  expect(ended).toEqual(["quiet"]);
});
