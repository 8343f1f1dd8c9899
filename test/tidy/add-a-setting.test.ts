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

const recipe = readRecipe("add-a-setting");
const lab = "packages/lab/src/";

/** Sources of packages/lab with the recipe's setting in them. */
function plant(directory: string): void {
  cpSync(join(repository, lab), directory, { recursive: true });
  const at = (path: string) => join(directory, path.slice(lab.length));
  for (const { path, text } of recipe.files) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }
  for (const { path, lines } of recipe.additions)
    writeFileSync(at(path), withLines(readFileSync(at(path), "utf8"), lines));
}

/** Uses the setting as `kintsugi up` uses all settings. */
const program = (file: string) => `
import { Command } from "commander";
import { contradictionsOf, joinDesired } from "@kintsugi/lab";
import { storedBy } from "@kintsugi/lab/settings/desired-settings.ts";
import { settingArgs } from "@kintsugi/lab/components/components.ts";
import { addUpOptions } from ${JSON.stringify(join(repository, "apps/cli/src/lifecycle/up-options.ts"))};
import { readTopology } from ${JSON.stringify(join(repository, "apps/cli/src/topology/topology-file.ts"))};
export function useSetting() {
  const up = addUpOptions(new Command("up"));
  up.parse(["--event-ttl", "30m"], { from: "user" });
  const file = readTopology(${JSON.stringify(file)}, { cpuMillicores: 1000, memoryBytes: 1e9 });
  const stored = storedBy(up.opts());
  return {
    help: /--event-ttl.*/.exec(up.helpInformation())[0],
    desired: up.opts().eventTtl,
    fromFile: joinDesired(file, {}).eventTtl,
    flagWins: joinDesired(file, up.opts()).eventTtl,
    stored: stored.eventTtl,
    contradictions: contradictionsOf(stored, file),
    args: settingArgs({ spec: stored, paths: { logs: "/logs" } }, "api-server").filter((each) => each.startsWith("--event")),
  };
}`;

test("a new setting needs only the recipe's file and two lines of the list", async () => {
  const directory = mkdtempSync(join(tmpdir(), "add-a-setting-"));
  try {
    plant(join(directory, "lab"));
    const file = join(directory, "topology.yaml");
    writeFileSync(file, 'apiVersion: kintsugi.dev/v1\nkind: Topology\neventTtl: "2h"\n');
    const outfile = join(directory, "planted.mjs");
    await build({
      ...bundleOptions,
      stdin: { contents: program(file), resolveDir: repository, loader: "ts" },
      alias: {
        "@kintsugi/lab/settings/desired-settings.ts": join(directory, "lab/settings/desired-settings.ts"),
        "@kintsugi/lab/components/components.ts": join(directory, "lab/components/components.ts"),
        "@kintsugi/lab": join(directory, "lab/index.ts"),
      },
      nodePaths: [join(repository, "node_modules")],
      outfile,
      logLevel: "silent",
    });
    const { useSetting } = (await import(pathToFileURL(outfile).href)) as { useSetting: () => unknown };
    expect(useSetting()).toEqual({
      help: expect.stringContaining("time that events are kept"),
      desired: "30m",
      fromFile: "2h",
      flagWins: "30m",
      stored: "30m",
      contradictions: ["events kept for 30m, not 2h"],
      args: ["--event-ttl=30m"],
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("the recipe for a setting is one file and two lines, and conforms to the layers", () => {
  expect(recipe.files).toHaveLength(1);
  expect(recipe.additions.flatMap(({ lines }) => lines)).toHaveLength(2);
  expect(recipe.files.flatMap(layerViolations)).toEqual([]);
});
