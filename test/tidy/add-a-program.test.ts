import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bundleOptions } from "../../tools/bundle-options.mjs";
import { layerViolations } from "./layers.ts";
import { readRecipe, withLines } from "./recipe.ts";
import { repository } from "./source-files.ts";

const recipe = readRecipe("add-a-program");

/** The lab and its lists with the program, the CLI that reads them, and the program itself. */
function plant(directory: string): void {
  for (const folder of ["packages/lab/src", "test/tidy"])
    cpSync(join(repository, folder), join(directory, folder), { recursive: true });
  for (const { path, text } of recipe.files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  for (const { path, lines } of recipe.additions)
    writeFileSync(join(directory, path), withLines(readFileSync(join(directory, path), "utf8"), lines));
}

/** Uses the program as the supervisor, `kintsugi logs` and `disk-watch --help` use all programs. */
const use = (directory: string) => `
import { clusterPaths } from "@kintsugi/lab/cluster/cluster-paths.ts";
import { newClusterSpec } from "@kintsugi/lab/cluster/cluster-spec.ts";
import { hostPrograms } from "@kintsugi/lab/components/host-programs.ts";
import { hostComponent } from "@kintsugi/lab/components/lab-program.ts";
export { logFilesIn } from ${JSON.stringify(join(repository, "apps/cli/src/logs/log-files.ts"))};
import { program } from ${JSON.stringify(join(directory, "apps/disk-watch/src/program.ts"))};
export { layerViolations } from ${JSON.stringify(join(directory, "test/tidy/layers.ts"))};
const spec = newClusterSpec({ name: "c", nodeCount: 1, profile: "fast", apiPort: 6443, subnet: 64, createdAtMs: 0 });
const layout = {
  spec,
  paths: clusterPaths("/data", "c"),
  programs: { app: (folder) => ["bundle-of-" + folder] },
  resolver: { resolvConf: undefined, stubs: [] },
};
export const commandLines = () =>
  hostPrograms.filter(({ when }) => when(spec)).map((each) => hostComponent(layout, each));
export const { readConfig } = program;
`;

interface Planted {
  commandLines(): unknown;
  logFilesIn(files: readonly string[], machines: readonly string[]): unknown;
  readConfig(argv: readonly string[]): unknown;
  layerViolations: typeof layerViolations;
}

test("a new program needs only a folder and a line of the lab's list", async () => {
  const directory = mkdtempSync(join(tmpdir(), "add-a-program-"));
  try {
    plant(directory);
    const lab = join(directory, "packages/lab/src");
    const outfile = join(directory, "planted.mjs");
    await build({
      ...bundleOptions,
      stdin: { contents: use(directory), resolveDir: repository, loader: "ts" },
      alias: {
        "@kintsugi/lab/cluster": join(lab, "cluster"),
        "@kintsugi/lab/components": join(lab, "components"),
        "@kintsugi/lab": join(lab, "index.ts"),
      },
      nodePaths: [join(repository, "node_modules")],
      outfile,
      logLevel: "silent",
    });
    const planted = (await import(pathToFileURL(outfile).href)) as Planted;
    expect(planted.commandLines()).toMatchObject([
      {
        id: "disk-watch",
        command: ["bundle-of-disk-watch", expect.stringMatching(/^--directory=\/data\//)],
        logFile: expect.stringMatching(/\/disk-watch\.log$/),
      },
    ]);
    // The host's own log, although a machine has the name "watch".
    expect(planted.logFilesIn(["disk-watch.log"], ["watch"])).toEqual([
      { program: "disk-watch", machine: undefined, file: "disk-watch.log" },
    ]);
    expect(() => planted.readConfig(["--help"])).toThrow(/--period [\s\S]*time between two log lines/i);
    expect(planted.readConfig(["--directory", "/d", "--period", "5s"])).toMatchObject({ periodMs: 5000 });
    expect(recipe.files.flatMap(planted.layerViolations)).toEqual([]);
    expect(recipe.files.flatMap(layerViolations)).not.toEqual([]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("the recipe for a program is a folder, a line of a list and a row of the layers", () => {
  expect(new Set(recipe.files.map(({ path }) => path.split("/").slice(0, 2).join("/")))).toEqual(
    new Set(["apps/disk-watch"]),
  );
  expect(recipe.additions.flatMap(({ lines }) => lines)).toHaveLength(2);
});
