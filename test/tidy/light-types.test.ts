import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bundleOptions } from "../../tools/bundle-options.mjs";

const root = resolve(import.meta.dirname, "../..");
const kinds = join(root, "packages/api/src/kinds");

/** The source files that remain in a program. */
async function loadedBy(contents: string): Promise<string[]> {
  const { metafile } = await build({
    ...bundleOptions,
    stdin: { contents, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 && path !== "<stdin>" ? [path] : []));
}

test("a program that only names kinds loads their types, and neither a schema nor zod", async () => {
  const files = readdirSync(kinds, { recursive: true, encoding: "utf8" }).filter((name) => /-types?\.ts$/.test(name));
  const names = files.flatMap((name) => {
    const text = readFileSync(join(kinds, name), "utf8");
    return [...text.matchAll(/^export const (\w+)/gm)].map(([, exported = ""]) => exported);
  });
  expect(names.length).toBeGreaterThan(30);
  const loaded = await loadedBy(
    `import { ${names.join(", ")} } from "@kintsugi/api";\nconsole.log(${names.join(", ")});`,
  );
  expect(loaded.toSorted()).toEqual(files.map((name) => `packages/api/src/kinds/${name}`).toSorted());
});

test("a program that loads the list of kinds loads zod", async () => {
  const loaded = await loadedBy('import { builtInKinds } from "@kintsugi/api";\nconsole.log(builtInKinds);');
  expect(loaded.some((path) => path.startsWith("node_modules/zod/"))).toBe(true);
});
