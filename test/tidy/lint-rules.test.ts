import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "./source-files.ts";

// The linter enforces part of the architecture, so its rules must themselves be tested: a linter
// without effect also passes.
const planted: Readonly<Record<string, { text: string; rule: string }>> = {
  "ambient-date.ts": { text: "export const now = () => Date.now();\n", rule: "no-restricted-globals" },
  "ambient-timer.ts": {
    text: "export const later = (f: () => void) => setTimeout(f, 1);\n",
    rule: "no-restricted-globals",
  },
  "ambient-random.ts": { text: "export const dice = () => Math.random();\n", rule: "no-restricted-properties" },
  "ambient-env.ts": { text: "export const home = process.env['HOME'];\n", rule: "no-restricted-properties" },
  "floating.ts": { text: "async function f() {}\nexport function g() { f(); }\n", rule: "no-floating-promises" },
  "any.ts": { text: "export const x: any = 1;\n", rule: "no-explicit-any" },
  "positional.ts": {
    text: "export const f = (a: number, b: number, c: number, d: number, e: number) => a + b + c + d + e;\n",
    rule: "max-params",
  },
  "console.ts": { text: "export const f = () => console.log(1);\n", rule: "no-console" },
  "Wrong_Name.ts": { text: "export const x = 1;\n", rule: "filename-case" },
  "default.ts": { text: "export default 1;\n", rule: "no-default-export" },
  "union.ts": {
    text: 'type A = "x" | "y";\nexport function f(a: A): number { switch (a) { case "x": return 1; } return 0; }\n',
    rule: "switch-exhaustiveness-check",
  },
  "long.ts": { text: `export const x = [\n${"  1,\n".repeat(410)}];\n`, rule: "max-lines" },
};

let directory: string;
let findings: string[];

beforeAll(() => {
  // The directory is inside a package, because the rules' exceptions depend on paths.
  directory = mkdtempSync(join(repository, "packages/controller/src/planted-"));
  writeFileSync(join(directory, "good.ts"), "export const double = (value: number) => value * 2;\n");
  for (const [name, { text }] of Object.entries(planted)) writeFileSync(join(directory, name), text);
  const result = spawnSync("npx", ["oxlint", "--format=unix", directory], { cwd: repository, encoding: "utf8" });
  findings = result.stdout.split("\n");
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

test.each(Object.entries(planted))("the linter rejects %s", (name, { rule }) => {
  expect(findings.filter((line) => line.includes(`/${name}:`)).join("\n")).toContain(rule);
});

test("the linter accepts good code", () => {
  expect(findings.filter((line) => line.includes("/good.ts:"))).toEqual([]);
});
