import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { endWithReader } from "./end-with-reader.ts";

function outputThatFailsWith(code: string, isTTY = false) {
  const output = Object.assign(new EventEmitter(), { isTTY });
  const exits: number[] = [];
  endWithReader(output, (exit) => exits.push(exit));
  const fail = () => output.emit("error", Object.assign(new Error(`${code}: write`), { code }));
  return { exits, fail };
}

test("a program whose reader has closed ends as by SIGPIPE", () => {
  const { exits, fail } = outputThatFailsWith("EPIPE");
  fail();
  expect(exits).toEqual([141]);
});

test("another write error is not ignored", () => {
  const { exits, fail } = outputThatFailsWith("ENOSPC");
  expect(fail).toThrow("ENOSPC: write");
  expect(exits).toEqual([]);
});

test("a closed terminal gives the program its time to end, and a failing file does not", () => {
  const { exits, fail } = outputThatFailsWith("EIO", true);
  fail();
  expect(exits).toEqual([]);
  expect(outputThatFailsWith("EIO").fail).toThrow("EIO: write");
});
