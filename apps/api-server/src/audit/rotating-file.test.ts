import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { silentLogger } from "@kintsugi/api";
import { VirtualClock } from "@kintsugi/clock/simulated";
import { afterAll, expect, test } from "vitest";
import { createRotatingFile, type LogRotation } from "./rotating-file.ts";

const root = mkdtempSync(join(tmpdir(), "kintsugi-audit-"));
afterAll(() => rmSync(root, { recursive: true }));

const day = 24 * 60 * 60 * 1000;
const always: LogRotation = { fileBytesMax: 10, ageMaxMs: 0, backupsMax: 0, compress: false };

function openIn(name: string, options: Partial<LogRotation>) {
  const clock = new VirtualClock();
  const path = join(root, name, "audit.log");
  const file = createRotatingFile(path, { clock, log: silentLogger }, { ...always, ...options });
  return { clock, file, path, names: () => readdirSync(join(root, name)).toSorted() };
}

test("a full file is renamed with the time, and only its owner may read it", async () => {
  const { clock, file, path, names } = openIn("size", {});
  for (const text of ["12345\n", "abc\n", "next\n"]) {
    await file.write(text);
    await clock.advance(1000);
  }
  await file.close();
  expect(names()).toEqual([expect.stringMatching(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/), "audit.log"]);
  expect(readFileSync(path, "utf8")).toBe("next\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a log continues at its end after a restart", async () => {
  const first = openIn("again", {});
  await first.file.write("one\n");
  await first.file.close();
  const second = openIn("again", {});
  await second.file.write("two\n");
  await second.file.close();
  expect(readFileSync(second.path, "utf8")).toBe("one\ntwo\n");
});

test("old files are removed beyond the configured number and age", async () => {
  const few = openIn("few", { backupsMax: 2 });
  for (let i = 0; i < 6; i++) {
    await few.file.write(`line-${i}--\n`);
    await few.clock.advance(1000);
  }
  await few.file.close();
  expect(few.names()).toHaveLength(3);
  const young = openIn("young", { ageMaxMs: day });
  for (let i = 0; i < 6; i++) {
    await young.file.write(`line-${i}--\n`);
    await young.clock.advance(day / 2);
  }
  await young.file.close();
  expect(young.names().length).toBeLessThan(6);
  expect(young.names()).toContain("audit.log");
});

test("rotated files can be compressed", async () => {
  const { clock, file, names } = openIn("gzip", { compress: true });
  await file.write("first line\n");
  await clock.advance(1000);
  await file.write("second\n");
  await file.close();
  const [aside = ""] = names();
  expect(aside).toMatch(/\.log\.gz$/);
  expect(gunzipSync(readFileSync(join(root, "gzip", aside))).toString()).toBe("first line\n");
});
