import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { layerViolations } from "./layers.ts";
import { readRecipe, withLines } from "./recipe.ts";
import { repository } from "./source-files.ts";
import { onlyInAllSamples } from "../support/samples.ts";

const recipe = readRecipe("add-a-controller");
const app = "apps/controller-manager";
const roles = "packages/rules";

// This test compiles for half a minute.
onlyInAllSamples(() => {
  test("the recipe for a controller is complete: the code that it plants compiles, and its test passes", () => {
    const root = mkdtempSync(join(tmpdir(), "kintsugi-recipe-"));
    try {
      plant(root);
      run(root, ["node_modules/.bin/tsc", "--noEmit", "-p", app]);
      const said = run(root, [
        "node_modules/.bin/vitest",
        "run",
        `${app}/src/controllers/pod-count`,
        `${app}/src/controllers.test.ts`,
      ]);
      expect(said).toMatch(/2 passed/);
    } finally {
      rmSync(root, { recursive: true });
    }
  }, 60_000);
});

test("the recipe for a controller conforms to the layers", () => {
  expect(recipe.files).toHaveLength(5);
  expect(recipe.additions).toHaveLength(2);
  expect(recipe.files.flatMap(layerViolations)).toEqual([]);
});

/**
 * Copies of the controller-manager and of the roles in the repository, with the files and lines of
 * the recipe.
 */
function plant(root: string): void {
  for (const name of ["node_modules", "tsconfig.base.json"]) symlinkSync(join(repository, name), join(root, name));
  for (const copied of [app, roles])
    cpSync(join(repository, copied), join(root, copied), {
      recursive: true,
      filter: (path) => !/\/(bundle|dist|node_modules|\.turbo)$/.test(path),
    });
  const ownModules = join(root, app, "node_modules/@kintsugi");
  mkdirSync(ownModules, { recursive: true });
  symlinkSync(join(root, roles), join(ownModules, "rules"));
  for (const { path, text } of recipe.files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const { path, lines } of recipe.additions)
    writeFileSync(join(root, path), withLines(readFileSync(join(root, path), "utf8"), lines));
  writeFileSync(
    join(root, "vitest.config.ts"),
    'export default { ssr: { resolve: { conditions: ["@kintsugi/source"] } }, test: { environment: "node" } };\n',
  );
}

function run(root: string, [command = "", ...args]: readonly string[]): string {
  try {
    return execFileSync(join(root, command), args, { cwd: root, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}: ${stdout}${stderr}`, { cause: error });
  }
}
