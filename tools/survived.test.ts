import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  addSurvived,
  addToLedger,
  readLedger,
  readRuns,
  readRequests,
  readSurvived,
  readTotal,
  survivedLine,
} from "./survived.mjs";

const counts = { runs: 120, bugs: 14, chaosOne: 20.5, chaosThree: 10, requests: 84_000, writes: 3_200_000, kills: 41 };
const line =
  "survived: 120 runs, 14 planted bugs found, 20.5 min chaos (one server), 10 min chaos (three servers), " +
  "84,000 requests, 3,200,000 acknowledged writes over 41 kills (commit ceeabe94)";

test("the line has every count, and is parsed back as it was written", () => {
  expect(survivedLine(counts, ["ceeabe94"])).toBe(line);
  expect(readSurvived(`--- done\n${line}\n12 passed, 0 failed`)).toEqual({ counts, commits: ["ceeabe94"] });
  expect(readSurvived(survivedLine({ runs: 1 }, []))).toEqual({ counts: addSurvived([{ runs: 1 }]), commits: [] });
  expect(readSurvived("12 passed, 0 failed")).toBeUndefined();
});

test("counts of several runs are added, with minutes rounded to a tenth", () => {
  expect(addSurvived([{ chaosOne: 0.1 }, { chaosOne: 0.2, kills: 3 }])).toMatchObject({ chaosOne: 0.3, kills: 3 });
});

test("runs and requests are counted from their programs' output", () => {
  const runs = "60 seeds in 301 s (717 per hour), 2 of them void; 44.10 virtual hours (527 times as fast)";
  expect(readRuns(runs)).toEqual({ runs: 58 });
  expect(readRuns(`FAILED seed 7: writes-are-durable at revision 9\n${runs}`)).toEqual({ runs: 57 });
  expect(readRequests("seed 3: 39682 requests to 56 routes; 20 × 200")).toEqual({ requests: 39_682 });
  expect([readRuns("no"), readRequests("no")]).toEqual([undefined, undefined]);
});

test("a row is added before the total, which counts it", () => {
  const empty = "| head |\n| **all** | | | | | | | | | | |\nmore";
  const row = { date: "2026-11-28", commits: ["ceeabe94"], machine: "2 cores", by: "endure", counts };
  const once = addToLedger(empty, row);
  expect(once.split("\n")[1]).toBe(
    "| 2026-11-28 | ceeabe94 | 2 cores | 120 | 14 | 20.5 | 10 | 84,000 | 3,200,000 | 41 | endure |",
  );
  const twice = addToLedger(once, row);
  expect(readLedger(twice)).toEqual([counts, counts]);
  expect(readTotal(twice)).toEqual(addSurvived([counts, counts]));
  expect(twice.endsWith("\nmore")).toBe(true);
});

test("the total of docs/reliability.md is the sum of its rows", () => {
  const ledger = readFileSync(join(import.meta.dirname, "../docs/reliability.md"), "utf8");
  expect(readLedger(ledger).length).toBeGreaterThan(5);
  expect(readTotal(ledger)).toEqual(addSurvived(readLedger(ledger)));
});
