import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { kintsugi } from "../support/lab-cluster.ts";
import type { ProgramResult } from "../support/run-program.ts";

// The command on real files, run by a user without rights.

describe("kintsugi simulate", () => {
  test("prints the timeline, writes the page, and ends with 0", async () => {
    const out = mkdtempSync(join(tmpdir(), "kintsugi-simulate-"));
    try {
      const run = await simulate("partition-within-grace", "--html", join(out, "page.html"));
      expect([run.stderr, run.code]).toEqual(["", 0]);
      expect(run.stdout).toMatch(/\+1m {6}fault\/cut-node {3}begins {3}node-3 for 25s\n/);
      expect(run.stdout).toContain("7 of 7 expectations met");
      expect(readFileSync(join(out, "page.html"), "utf8")).toMatch(/^<!doctype html>/);
    } finally {
      rmSync(out, { recursive: true });
    }
  });

  test("writes the picture of a published page's preview next to the page", async () => {
    const out = mkdtempSync(join(tmpdir(), "kintsugi-simulate-"));
    try {
      const page = join(out, "a run.html");
      const site = "https://example.org/runs";
      const run = await simulate("partition-within-grace", "--html", page, "--site", site);
      expect([run.stderr, run.code]).toEqual(["", 0]);
      const html = readFileSync(page, "utf8");
      expect(html).toContain('<meta property="og:url" content="https://example.org/runs/a%20run.html">');
      expect(html).toContain('<meta property="og:image" content="https://example.org/runs/a%20run.png">');
      expect(readFileSync(join(out, "a run.png")).subarray(1, 4).toString("latin1")).toBe("PNG");
    } finally {
      rmSync(out, { recursive: true });
    }
  });

  test.skipIf(process.platform !== "linux")("reports in a sentence that the disk of the page is full", async () => {
    const { stderr, code } = await simulate("partition-within-grace", "--html", "/dev/full");
    expect([stderr, code]).toEqual([
      "ERROR: --html /dev/full cannot be written: ENOSPC: no space left on device, write\n",
      2,
    ]);
  });

  test("reports the place of an error in a file and the nearest word, and ends with 2; with 1 if expectations fail", async () => {
    const out = mkdtempSync(join(tmpdir(), "kintsugi-simulate-"));
    try {
      const wrong = join(out, "wrong.yaml");
      writeFileSync(wrong, "workloads: [{ name: web, replicas: 1 }]\nfaults: [{ at: 1m, fault: kil-node }]\n");
      const refused = await simulate(wrong);
      const sentence = `ERROR: ${wrong}:2:27: faults[1].fault: unknown fault "kil-node"; did you mean "kill-node"?\n`;
      expect([refused.stderr, refused.stdout, refused.code]).toEqual([sentence, "", 2]);
      const unmet = join(out, "unmet.yaml");
      const text = "workloads: [{ name: web, replicas: 1 }]\nrun: 10s\nexpect: [{ workload: web, created: 7 }]\n";
      writeFileSync(unmet, text);
      const failed = await simulate(unmet);
      expect([failed.stdout.includes("NOT MET: web: created 7; found 0"), failed.code]).toEqual([true, 1]);
    } finally {
      rmSync(out, { recursive: true });
    }
  });
});

function simulate(...words: string[]): Promise<ProgramResult> {
  return kintsugi(["simulate", ...words]);
}
