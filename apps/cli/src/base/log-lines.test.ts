import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastLineOf, lastLogLine } from "./log-lines.ts";

test.each([
  ["", undefined],
  ["\n \n", undefined],
  ["first\nlast\n\n", "last"],
  ['{"level":"info","msg":"serving"}\n', "serving"],
  ['{"level":"error","msg":"write failed","error":{"type":"Error","message":"ENOSPC"}}\n', "write failed: ENOSPC"],
  ['{"level":30}\n', '{"level":30}'],
])("the last line of %j is %j", (text, line) => {
  expect(lastLineOf(text)).toBe(line);
});

test("a line longer than a screen is truncated", () => {
  expect(lastLineOf("x".repeat(5000))).toHaveLength(400);
});

test("the end of a large log is read, and a missing log has no line", async () => {
  const directory = await mkdtemp(join(tmpdir(), "log-lines-"));
  try {
    const file = join(directory, "a.log");
    await writeFile(file, `${"line\n".repeat(100_000)}the end\n`);
    expect(await lastLogLine(file)).toBe("the end");
    expect(await lastLogLine(join(directory, "b.log"))).toBeUndefined();
  } finally {
    await rm(directory, { recursive: true });
  }
});
