import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { followInterruption } from "./interruption.ts";

function aProcess() {
  const process = new EventEmitter();
  const exits: number[] = [];
  return { process, exits, interruption: followInterruption(process, (code) => exits.push(code)) };
}

test("a command that no signal has ended has no signal's exit code", () => {
  const { interruption } = aProcess();
  expect([interruption.signal.aborted, interruption.exitCode()]).toEqual([false, undefined]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
])("%s lets the command finish its current step, and ends the process the second time", (name, code) => {
  const { process, exits, interruption } = aProcess();
  process.emit(name);
  expect([interruption.signal.aborted, interruption.exitCode(), exits]).toEqual([true, code, []]);
  process.emit(name);
  expect(exits).toEqual([code]);
});

test("SIGTERM and SIGHUP together, as at the end of a session, let the command finish its current step", () => {
  const { process, exits, interruption } = aProcess();
  process.emit("SIGTERM");
  process.emit("SIGHUP");
  expect([interruption.exitCode(), exits]).toEqual([143, []]);
});
