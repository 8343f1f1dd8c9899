import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { endWithReader } from "./end-with-reader.ts";

function outputThatFailsWith(code: string, { isTTY = false, syscall }: { isTTY?: boolean; syscall?: string } = {}) {
  const output = Object.assign(new EventEmitter(), { isTTY });
  const exits: number[] = [];
  const texts: string[] = [];
  endWithReader(output, (exit) => exits.push(exit), { write: (text) => texts.push(text) });
  const fail = () => output.emit("error", Object.assign(new Error(`${code}: write`), { code, syscall }));
  return { exits, texts, fail };
}

test("a program whose reader has closed ends as by SIGPIPE", () => {
  const { exits, texts, fail } = outputThatFailsWith("EPIPE", { syscall: "write" });
  fail();
  expect({ exits, texts }).toEqual({ exits: [141], texts: [] });
});

test.each(["ENOSPC", "EIO"])("a program whose output the system rejects prints an error and fails (%s)", (code) => {
  const { exits, texts, fail } = outputThatFailsWith(code, { syscall: "write" });
  fail();
  expect({ exits, texts }).toEqual({ exits: [1], texts: [`ERROR: the output cannot be written: ${code}: write\n`] });
});

test("an error of the program itself is not ignored", () => {
  const { exits, fail } = outputThatFailsWith("ERR_STREAM_DESTROYED");
  expect(fail).toThrow("ERR_STREAM_DESTROYED: write");
  expect(exits).toEqual([]);
});

test("a program gets its time to end after its terminal is closed", () => {
  const { exits, texts, fail } = outputThatFailsWith("EIO", { isTTY: true, syscall: "write" });
  fail();
  expect({ exits, texts }).toEqual({ exits: [], texts: [] });
});
