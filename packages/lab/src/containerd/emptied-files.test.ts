import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "@kintsugi/clock";
import { expect, onTestFinished, test } from "vitest";
import { removeEmptiedFiles } from "./emptied-files.ts";

test("what was emptied goes; what is whole, locks others, or is just being written stays", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kintsugi-emptied-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const minuteAgoSeconds = systemClock.nowMs() / 1000 - 60;
  const write = (name: string, text: string, atSeconds?: number) => {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (atSeconds !== undefined) utimesSync(file, atSeconds, atSeconds);
  };
  for (const place of ["results", "ipam/kintsugi"]) {
    write(`${place}/emptied`, "", minuteAgoSeconds);
    write(`${place}/whole`, "{}", minuteAgoSeconds);
    write(`${place}/lock`, "", minuteAgoSeconds);
    write(`${place}/new`, "");
  }
  await removeEmptiedFiles(systemClock, join(directory, "ipam"), join(directory, "results"));
  for (const place of ["results", "ipam/kintsugi"])
    expect(readdirSync(join(directory, place)).toSorted()).toEqual(["lock", "new", "whole"]);
  // On a host on which no pod has ever run.
  await removeEmptiedFiles(systemClock, join(directory, "nowhere"), join(directory, "nowhere"));
});
