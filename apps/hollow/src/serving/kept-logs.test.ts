import { expect, test } from "vitest";
import { KeptLogs } from "./kept-logs.ts";

const kibibyte = 1024;

async function textOf(logs: KeptLogs, path: string): Promise<string | undefined> {
  const file = await logs.open(path);
  return (await file?.read(0, 1024 * kibibyte))?.toString();
}

test("a log is read from any position, even while it grows", async () => {
  const logs = new KeptLogs();
  logs.append("/a", "one\n");
  const file = await logs.open("/a");
  logs.append("/a", "two\n");
  expect((await file?.read(4, 100))?.toString()).toBe("two\n");
  expect(await file?.size()).toBe(8);
});

test("a log beyond its limit loses its oldest lines, and a reader continues after them", async () => {
  const logs = new KeptLogs();
  const line = `${"x".repeat(1023)}\n`;
  for (let count = 0; count < 100; count++) logs.append("/a", line);
  const file = await logs.open("/a");
  expect(await file?.size()).toBe(100 * kibibyte);
  expect(await textOf(logs, "/a")).toBe(line.repeat(64));
  expect((await file?.read(99 * kibibyte, 2 * kibibyte))?.toString()).toBe(line);
});

test("all logs together stay within their limit, and the log that is being written is kept", async () => {
  const logs = new KeptLogs();
  const full = "y".repeat(64 * kibibyte);
  for (let count = 0; count < 600; count++) logs.append(`/${count}`, full);
  expect(await logs.open("/0")).toBeUndefined();
  expect(await textOf(logs, "/599")).toBe(full);
  const kept = await Promise.all(Array.from({ length: 600 }, (_, count) => logs.open(`/${count}`)));
  expect(kept.filter((file) => file !== undefined)).toHaveLength(512);
});
