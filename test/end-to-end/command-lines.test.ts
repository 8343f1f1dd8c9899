import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kintsugi, repository } from "../support/lab-cluster.ts";
import { type ProgramResult, runProgram } from "../support/run-program.ts";
import { sampleOf } from "../support/samples.ts";

// Common mistakes on the command lines of `kintsugi`, and of the scripts of package.json that take
// arguments. Needs no root.

const directory = mkdtempSync(join(tmpdir(), "kintsugi-command-lines-"));
const path = (name: string) => join(directory, name);
beforeAll(() => {
  writeFileSync(path("bad.yaml"), "a: [\n");
  // The file exists on a machine that has joined.
  writeFileSync(path("kubelet.kubeconfig"), "");
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A user who mistypes does not want a stack trace of the program. */
function expectRefusal({ code, stdout, stderr }: ProgramResult, wanted: { code: number; says: string }): void {
  expect({ code, said: stdout + stderr }).toEqual({ code: wanted.code, said: expect.stringContaining(wanted.says) });
  expect(stdout + stderr).not.toMatch(/\n {4}at /);
}

/** The commands of package.json, after the bundling. */
const source = (file: string) => ["--conditions=@kintsugi/source", "--import", "tsx", join(repository, file)];
const scripts: Readonly<Record<string, readonly string[]>> = {
  simulate: [join(repository, "apps/simulator/bundle/main.mjs"), "seeds"],
  "simulate:sabotage": source("test/simulation/sabotage/run.ts"),
  chaos: source("test/chaos/run.ts"),
  bench: source("test/bench/run.ts"),
  "test:runtimes": source("test/runtimes/run.ts"),
  "test:machine": source("test/machine/run.ts"),
  "test:vagrant": source("test/vagrant/run.ts"),
};

function run(script: string, ...words: string[]): Promise<ProgramResult> {
  return runProgram(process.execPath, [...(scripts[script] ?? []), ...words], { timeoutMs: 60_000 });
}

test.each(sampleOf(Object.keys(scripts), 2))("npm run %s prints its options on request", async (script) => {
  const help = await run(script, "--help");
  expect({ code: help.code, stderr: help.stderr }).toEqual({ code: 0, stderr: "" });
  expect(help.stdout).toContain(`Usage: npm run ${script} -- `);
});

describe("the scripts", () => {
  test.each([
    ["simulate", ["--halp"], "simulate: unknown option '--halp' (Did you mean --help?)"],
    ["simulate", ["--seed", "x"], '"x" is not a whole number from 1 on.'],
    ["simulate", ["--hours", "-1"], '"-1" is not a number from 0.01 on.'],
    ["simulate", ["--faults", "kill-nod"], 'there is no fault "kill-nod"; did you mean "kill-node"?'],
    ["simulate", ["--scenario=node-ded"], 'there is no file or scenario "node-ded"; did you mean "node-dead"?'],
    ["simulate:sabotage", ["--bug", "nosuch"], 'no bug has "nosuch" in its name'],
    ["chaos", ["--faults", "nosuch"], 'no fault is called "nosuch"'],
    ["bench", ["stor"], 'there is no section "stor"; did you mean "store"?'],
    ["bench", ["--kubeconfig", path("none")], `${path("none")}: cannot be read: ENOENT`],
    ["test:runtimes", ["trixi"], 'there is no suite "trixi"; did you mean "trixie"?'],
  ])("npm run %s -- %j is rejected with the right form", async (script, words, says) => {
    expectRefusal(await run(script, ...words), { code: 2, says });
  });
});

describe("kintsugi", () => {
  const joining = ["join", "127.0.0.1:1", "--node-ip", "10.0.0.2", "--token"];
  test.each([
    [["up", "--name", "Not_A_Name"], 2, "use up to 32 lower-case letters"],
    [["up", "--nodes", "0"], 2, '"0" is not a whole number from 1 to 200.'],
    [["up", "--api-port", "99999"], 2, '"99999" is not a whole number from 1 to 65535.'],
    [["up", "--profile", "fats"], 2, "Allowed choices are kubernetes, default, fast."],
    [["status", "-o", "yaml"], 2, "Allowed choices are text, json."],
    [["init", "10.0.0.1", "--service-cluster-ip-range", "all"], 2, '"all" is not an IPv4 range'],
    [["init", "10.0.0.1", "--config-dir", directory], 1, "ERROR: this machine is a node"],
    [["up", "--config", path("none.yaml")], 1, `ERROR: --config ${path("none.yaml")} does not exist: name a topology`],
    [["simulate", "nosuch"], 2, 'ERROR: there is no file or scenario "nosuch"; `kintsugi simulate --list` lists'],
    [["token", "create", "--ttl", "soon"], 2, '"soon" is not a duration; write for example'],
    [["token", "list", "--kubeconfig", path("none")], 1, `${path("none")}: cannot be read: ENOENT`],
    [["token", "list", "--kubeconfig", path("bad.yaml")], 1, `ERROR: ${path("bad.yaml")}: Flow sequence`],
    [[...joining, "abc"], 1, "--token: a token looks like abcdef.0123456789abcdef"],
    [[...joining, "abcdef.0123456789abcdef", "--discovery-token-ca-cert-hash", "md5:0"], 1, "is not sha256: and 64"],
    [["simulate", directory], 2, `${directory} cannot be read: EISDIR`],
    [["simulate", "node-dead", "--compare", "nodes=["], 2, '"nodes=[" is not a change: '],
    [["simulate", "node-dead", "--site", "https://example.org"], 2, "ERROR: --site is for the page of one run: use it"],
    [
      ["simulate", "node-dead", "--html", path("run.html"), "--site", "example.org"],
      2,
      "ERROR: --site example.org is not",
    ],
    [["simulate", "node-dead", "--html", directory], 2, `--html ${directory} cannot be written: EISDIR`],
    [["snapshot", "status", directory], 1, `ERROR: ${directory}: EISDIR`],
  ])("%j is rejected with exit code %i and the right form", async (words, code, says) => {
    expectRefusal(await kintsugi(words), { code, says });
  });
});
