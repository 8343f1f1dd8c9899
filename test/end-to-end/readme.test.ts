import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageArchive, ociArchitecture } from "@kintsugi/lab";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsOf } from "../support/documented-commands.ts";
import { newestKubectl, sayWhyNot, whyNoClusters } from "../support/host-abilities.ts";
import { kintsugi, rememberCluster, repository } from "../support/lab-cluster.ts";
import { type ProgramResult, runProgram } from "../support/run-program.ts";

const cannot = sayWhyNot("the commands of the README", whyNoClusters());

/** The name differs from the reader's own cluster, which the README would call "kintsugi". */
const name = `readme-${process.pid}`;
/**
 * Commands that run in another place, which is named, because they take too long or repeat too
 * much.
 */
const elsewhere: Readonly<Record<string, string>> = {
  "npm ci && npm run demo": "end-to-end/recovery.test.ts",
  "npm ci && npm test": "this very run",
  "npm run bundle": "npm test makes the bundles",
  "npx kintsugi@latest rehearse": "simulation/rehearsal.test.ts",
  "sudo npx kintsugi@latest up": "the same command of the checkout, below",
  "docker compose up --build -d": "compose/compose.test.ts",
};

let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "kintsugi-readme-"));
  await rememberCluster(name);
});
afterAll(async () => {
  await kintsugi(["down", "--name", name, "--kubeconfig", join(home, "kubeconfig")]);
  rmSync(home, { recursive: true });
});

/** An archive of an image, as the reader has it. */
function appArchive(): string {
  const file = join(home, "app.tar");
  writeFileSync(file, imageArchive([{ names: ["docker.io/library/app:1"], files: [] }], ociArchitecture()));
  return file;
}

/** Runs a command like a reader, in a cluster and a home directory of this test. */
function run(command: string): Promise<ProgramResult> {
  const ours = command
    // The package's own file is tested by test/package; its commands are those of the checkout.
    .replace("kintsugi@latest", "kintsugi")
    .replace(/^npx kintsugi (?!simulate|test-server|playground).*$/, (line) => `${line} --name ${name}`)
    .replace("out.html", join(home, "out.html"))
    .replace("app.tar", appArchive())
    // A command that a reader keeps running in another terminal is only checked to start.
    .replace(/^(.*) &$/, "timeout 5 $1 || [ $? = 124 ]")
    .replace(/kubectl /, `${newestKubectl() ?? "kubectl"} `);
  const env = { HOME: home, KUBECONFIG: join(home, "kubeconfig") };
  return runProgram("sh", ["-c", `cd ${repository} && ${ours}`], { env, timeoutMs: 150_000 });
}

test.skipIf(cannot)("every command of the README works, one after the other", async () => {
  const commands = commandsOf(readFileSync(join(repository, "README.md"), "utf8"));
  const here = commands.filter((command) => elsewhere[command] === undefined);
  expect(Object.keys(elsewhere).filter((command) => !commands.includes(command))).toEqual([]);
  expect(here.length).toBeGreaterThan(5);
  for (const command of here) {
    const result = await run(command);
    expect({ command, ...result }).toMatchObject({ command, code: 0 });
  }
});
