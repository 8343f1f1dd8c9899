import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { repository } from "./source-files.ts";

// The files that run only on other machines are checked here as far as possible: their YAML, and
// every script, path, target and input that they name.

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Workflow {
  readonly on: object;
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, { readonly "runs-on": string; readonly steps: readonly Step[] }>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly (Step & { readonly shell?: string })[] };
}

const read = (file: string) => readFileSync(join(repository, file), "utf8");
const { scripts, version } = JSON.parse(read("package.json")) as { scripts: Record<string, string>; version: string };
const dockerfile = read("deploy/images/Dockerfile");
const workflowFiles = readdirSync(join(repository, ".github/workflows")).map((file) => `.github/workflows/${file}`);
const actionFile = parse(read("action.yml")) as Action;

/** A tag can be moved to other code; a commit cannot. */
const isPinned = (uses: string) => /^(\.\/|[\w.-]+\/[\w./-]+@[0-9a-f]{40}$)/.test(uses);

/** Lists the scripts and files that a step names and that do not exist. */
function stepFaults({ uses = "", run = "", with: inputs = {} }: Step): string[] {
  const faults: string[] = [];
  for (const [, name = ""] of run.matchAll(/\bnpm run ([a-z:]+)/g))
    if (scripts[name] === undefined) faults.push(`npm run ${name}`);
  for (const [, path = ""] of run.matchAll(/(?:^|[\s/])((?:test|tools|deploy|\.ci)\/[\w./-]+)/g))
    if (!existsSync(join(repository, path))) faults.push(path);
  for (const [, path = ""] of run.matchAll(/GITHUB_ACTION_PATH\/([\w./-]+)/g))
    if (!existsSync(join(repository, path))) faults.push(path);
  if (uses.startsWith("./") && !existsSync(join(repository, uses, "action.yml"))) faults.push(uses);
  if (uses !== "" && !isPinned(uses)) faults.push(uses);
  if (uses === "./") {
    for (const input of Object.keys(inputs)) if (actionFile.inputs[input] === undefined) faults.push(`input ${input}`);
  }
  const { file, target } = inputs;
  if (file !== undefined && !existsSync(join(repository, file))) faults.push(file);
  if (target !== undefined && !target.startsWith("${{") && !dockerfile.includes(` AS ${target}\n`)) faults.push(target);
  return faults;
}

test.each(workflowFiles)("%s has minimal permissions, and names existing scripts and files", (file) => {
  const workflow = parse(read(file)) as Workflow;
  expect(workflow.permissions).toEqual({ contents: "read" });
  expect(Object.keys(workflow.jobs).length).toBeGreaterThan(0);
  expect(Object.values(workflow.jobs).flatMap(({ steps }) => steps.flatMap(stepFaults))).toEqual([]);
  // An expression inside of a script would insert text that other people write.
  const untrusted = /\$\{\{\s*(?:github\.(?:event|head_ref)|inputs)/;
  expect(
    Object.values(workflow.jobs).flatMap(({ steps }) => steps.filter(({ run = "" }) => untrusted.test(run))),
  ).toEqual([]);
});

test("the recipe shows the versions of actions that the workflows use", () => {
  const used = workflowFiles.flatMap((file) => [...read(file).matchAll(/uses: (\S+)@[0-9a-f]{40} # (v\d+)/g)]);
  const versions = new Map(used.map(([, name, major]) => [name, major]));
  const shown = [...read("docs/recipes/use-in-ci.md").matchAll(/uses: (actions\/\S+)@(\S+)/g)];
  expect(shown.length).toBeGreaterThan(0);
  for (const [, name, version] of shown) expect([name, version]).toEqual([name, versions.get(name)]);
});

test("the virtual machines of the hosted service check the requirements of a release: three systems and four versions of Node.js", () => {
  const { jobs } = parse(read(".github/workflows/check.yml")) as {
    jobs: Record<string, { strategy: { matrix: { os: string[]; node: number[] } } }>;
  };
  const matrix = jobs["virtual"]?.strategy.matrix;
  expect(matrix?.os.map((name) => name.split("-")[0])).toEqual(["ubuntu", "macos", "windows"]);
  expect(matrix?.node).toEqual([20, 22, 24, 26]);
});

test("a release builds the existing images, and publishes with provenance", () => {
  const text = read(".github/workflows/release.yml");
  const { jobs } = parse(text) as { jobs: Record<string, { strategy: { matrix: { target: string[] } } }> };
  for (const target of jobs["images"]?.strategy.matrix.target ?? []) expect(dockerfile).toContain(` AS ${target}\n`);
  expect(text).toContain("npm publish dist/kintsugi-*.tgz --provenance");
});

test("the action is a composite action whose steps have shells, and does not read an input inside a script", () => {
  const { runs, inputs } = actionFile;
  expect(runs.using).toBe("composite");
  expect(runs.steps.flatMap(stepFaults)).toEqual([]);
  for (const { run, shell } of runs.steps) {
    if (run === undefined) continue;
    expect(shell).toBe("bash");
    expect(run).not.toContain("${{");
  }
  const page = read("docs/recipes/use-in-ci.md");
  for (const name of Object.keys(inputs)) expect(page).toContain(`| \`${name}\` |`);
});

test("the feature of dev containers has the version of the package, and its script", () => {
  const feature = JSON.parse(read(".devcontainer/kintsugi/devcontainer-feature.json")) as Record<string, unknown>;
  expect([feature["id"], feature["version"]]).toEqual(["kintsugi", version]);
  expect(existsSync(join(repository, ".devcontainer/kintsugi/install.sh"))).toBe(true);
  const container = JSON.parse(read(".devcontainer/devcontainer.json")) as { features: object };
  expect(Object.keys(container.features)).toEqual(["./kintsugi"]);
});

test("a step that names a missing file is detected", () => {
  expect(stepFaults({ run: "npm run nothing && node test/nowhere.mjs" })).toEqual([
    "npm run nothing",
    "test/nowhere.mjs",
  ]);
  expect(stepFaults({ uses: "some/action@main" })).toEqual(["some/action@main"]);
  expect(stepFaults({ uses: "./", with: { nothing: "x" } })).toEqual(["input nothing"]);
  expect(stepFaults({ uses: `a/b@${"0".repeat(40)}`, with: { file: "deploy/nowhere", target: "none" } })).toEqual([
    "deploy/nowhere",
    "none",
  ]);
});

test("an action is pinned to a commit, with its version for a reader", () => {
  expect(isPinned("actions/checkout@v5")).toBe(false);
  const named = [...workflowFiles, "action.yml"].flatMap((file) => read(file).match(/uses: \S+@.*$/gm) ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((line) => !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
});
