import { VirtualClock } from "@kintsugi/clock/simulated";
import { expect, test } from "vitest";
import { createTerminal } from "./terminal.ts";

function aTerminal() {
  const said: string[] = [];
  const stderr = { write: (text: string) => said.push(text) };
  const terminal = createTerminal(
    { clock: new VirtualClock(), stdout: stderr, stderr },
    { colour: false, quiet: false },
  );
  return { said, terminal };
}

test("a step reports its outcome only when it has ended", async () => {
  const { said, terminal } = aTerminal();
  const label = { doing: "node-9: kill", done: "node-9 is off" };
  await expect(terminal.step(label, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(said).toEqual([" ✗ node-9: kill\n"]);
  await terminal.step(label, async () => {});
  expect(said.at(-1)).toBe(" ✓ node-9 is off\n");
});

test("a step may determine its final text during its run", async () => {
  const { said, terminal } = aTerminal();
  await terminal.step({ doing: "saving", done: "saved" }, async (update) => update("saved from Docker"));
  expect(said).toEqual([" ✓ saved from Docker\n"]);
});
