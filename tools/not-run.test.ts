import { expect, test } from "vitest";
import { noteOf, notRunLines, readNotRun } from "./not-run.ts";

const noRoot = "run the command with sudo";

test("a file's lines about its groups are parsed between its other output", () => {
  expect(readNotRun("hello\nnot run: probes: it needs root: run it with sudo\n")).toEqual([
    { group: "probes", reason: "it needs root: run it with sudo" },
  ]);
  expect(readNotRun("not run at all")).toEqual([]);
});

test("a single test states its reason to vitest, or in its name", () => {
  expect(noteOf("a test", { note: "no nft" })).toBe("no nft");
  expect(noteOf("a small disk (skipped: only root mounts)", {})).toBe("only root mounts");
  expect(noteOf("a test", {})).toBeUndefined();
});

test("groups with one reason share a line, which counts their tests once", () => {
  const lines = notRunLines([
    { file: "a.test.ts", tests: 3, notRun: [{ group: "probes", reason: noRoot }] },
    {
      file: "b.test.ts",
      tests: 4,
      notRun: [
        { group: "containerd", reason: noRoot },
        { group: "containerd with crun", reason: noRoot },
      ],
    },
    {
      file: "c.test.ts",
      tests: 2,
      notRun: [
        { group: "pages", reason: "no chromium" },
        { group: "pages", reason: "no fonts" },
      ],
    },
  ]);
  expect(lines).toEqual([
    "not run: containerd, containerd with crun, probes (7 tests): run the command with sudo",
    "not run: pages (2 tests): no chromium",
    "not run: pages: no fonts",
  ]);
});

test("skipped tests without a reason are not ignored", () => {
  expect(notRunLines([{ file: "d.test.ts", tests: 1, notRun: [] }])).toEqual([
    "not run: d.test.ts (1 tests): the file states no reason",
  ]);
});
