import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Logger, silentLogger } from "@kintsugi/api";
import { systemClock } from "@kintsugi/clock";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterAll, expect, test, vi } from "vitest";
import { followFiles } from "./follow-files.ts";

const directory = mkdtempSync(join(tmpdir(), "kintsugi-follow-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("files are read again each minute; an invalid file is reported once, and the valid content remains in use", async () => {
  const clock = new VirtualClock();
  const warned: unknown[] = [];
  const log: Logger = { ...silentLogger, warn: (message) => warned.push(message) };
  let content: () => string = () => "a";
  const applied: string[] = [];
  const stop = new AbortController();
  // The kernel cannot report changes of a missing directory.
  const files = [join(directory, "missing/tls.crt")];
  const followed = {
    what: "test",
    files,
    initial: "a",
    read: () => content(),
    apply: (value: string) => applied.push(value),
  };
  const running = followFiles({ clock, log }, followed).run(stop.signal);
  await clock.advance(120_000);
  expect(applied).toEqual([]);
  content = () => {
    throw new Error("half written");
  };
  await clock.advance(300_000);
  expect([applied, warned]).toEqual([[], ["files cannot be used, the previous files remain in use"]]);
  content = () => "b";
  await clock.advance(60_000);
  expect(applied).toEqual(["b"]);
  stop.abort();
  await running;
});

test("a change is applied when it happens, even if another file replaces the file", async () => {
  const file = join(directory, "file");
  writeFileSync(file, "1");
  const applied: string[] = [];
  const stop = new AbortController();
  const followed = {
    what: "test",
    files: [file],
    initial: "1",
    read: () => readFileSync(file, "utf8"),
    apply: (value: string) => applied.push(value),
  };
  const running = followFiles({ clock: systemClock, log: silentLogger }, followed).run(stop.signal);
  writeFileSync(file, "2");
  await vi.waitFor(() => expect(applied.at(-1)).toBe("2"), { timeout: 5000 });
  rmSync(file);
  writeFileSync(file, "3");
  await vi.waitFor(() => expect(applied.at(-1)).toBe("3"), { timeout: 5000 });
  stop.abort();
  await running;
});
