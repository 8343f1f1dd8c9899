import { mkdtemp, mkdir, rename, rm, symlink, writeFile, appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseTimestamp } from "@kintsugi/api";
import { logFilesBelow } from "./log-file.ts";
import { type LogOptions, parseLogOptions } from "./log-options.ts";
import { readLog } from "./read-log.ts";

const all: LogOptions = {
  follow: false,
  previous: false,
  timestamps: false,
  tailLines: undefined,
  limitBytes: undefined,
  sinceMs: undefined,
};
const lines = [
  "2026-01-01T00:00:01.000000001Z stdout F one",
  "2026-01-01T00:00:02.000000002Z stderr F two",
  "2026-01-01T00:00:03.000000003Z stdout P thr",
  "2026-01-01T00:00:03.000000004Z stdout F ee",
  "2026-01-01T00:00:04.000000005Z stdout F ",
  "",
].join("\n");

let root: string;
let path: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "kintsugi-logs-"));
  await mkdir(join(root, "pod/c"), { recursive: true });
  path = join(root, "pod/c/0.log");
  await writeFile(path, lines);
});
afterEach(() => rm(root, { recursive: true }));

async function read(options: Partial<LogOptions> = {}, at = path): Promise<string> {
  const deps = { files: logFilesBelow(root), clock: systemClock, isRunning: () => Promise.resolve(false) };
  let text = "";
  for await (const piece of readLog(deps, at, {
    options: { ...all, ...options },
    signal: new AbortController().signal,
  }))
    text += piece.toString();
  return text;
}

test.each<[string, Partial<LogOptions>, string]>([
  ["as the container wrote it", {}, "one\ntwo\nthree\n\n"],
  ["with timestamps", { timestamps: true, tailLines: 1 }, "2026-01-01T00:00:04.000000005Z \n"],
  ["its last two lines", { tailLines: 2 }, "ee\n\n"],
  ["more lines than exist", { tailLines: 100 }, "one\ntwo\nthree\n\n"],
  ["no lines", { tailLines: 0 }, ""],
  ["since a time", { sinceMs: parseTimestamp("2026-01-01T00:00:03Z") }, "three\n\n"],
  ["a number of bytes", { limitBytes: 5 }, "one\nt"],
])("a log is shown %s", async (_, options, text) => {
  expect(await read(options)).toBe(text);
});

test("a followed log shows new lines, continues in the file that replaces it, and ends with the container", async () => {
  let running = true;
  const deps = { files: logFilesBelow(root), clock: systemClock, isRunning: () => Promise.resolve(running) };
  const signal = new AbortController().signal;
  const pieces = readLog(deps, path, { options: { ...all, follow: true, tailLines: 0 }, signal });
  const next = pieces.next();
  await systemClock.sleep(20);
  await appendFile(path, "2026-01-01T00:00:05Z stdout F five\n");
  expect((await next).value?.toString()).toBe("five\n");
  await rename(path, `${path}.1`);
  await writeFile(path, "2026-01-01T00:00:06Z stdout F six\n");
  expect((await pieces.next()).value?.toString()).toBe("six\n");
  running = false;
  expect((await pieces.next()).done).toBe(true);
});

test("a link is not followed at any place of a path, and no file outside the log directory is read", async () => {
  const secret = join(await mkdtemp(join(tmpdir(), "kintsugi-secret-")), "0.log");
  await writeFile(secret, "2026-01-01T00:00:01Z stdout F secret\n");
  await rm(path);
  await symlink(secret, path);
  expect(await read()).toBe("");
  await rm(join(root, "pod/c"), { recursive: true });
  await symlink(join(secret, ".."), join(root, "pod/c"));
  expect(await read()).toBe("");
  expect(await read({}, secret)).toBe("");
  expect(await read({}, `${root}/pod/../../${secret}`)).toBe("");
  await rm(join(secret, ".."), { recursive: true });
});

test.each([
  ["tailLines=-1", "tailLines: must be greater than or equal to 0"],
  ["limitBytes=0", "limitBytes: must be greater than 0"],
  ["sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z", "at most one of `sinceTime` or `sinceSeconds` may be specified"],
  ["sinceTime=yesterday", 'sinceTime: invalid time "yesterday"'],
])("the query %s is rejected", (query, message) => {
  expect(() => parseLogOptions(new URLSearchParams(query), 0)).toThrow(message);
});
