import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { readInput } from "./streams.ts";

test("the input of a simulated command is kept up to a mebibyte, and the rest is read and thrown away", async () => {
  const stdin = new PassThrough();
  const input = readInput(stdin);
  const part = Buffer.alloc(100_000, "a");
  for (let count = 0; count < 50; count++)
    if (!stdin.write(part)) await new Promise((resolve) => stdin.once("drain", resolve));
  stdin.end();
  expect((await input).length).toBe(1024 * 1024);
});
