import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { bundleOptions } from "../../tools/bundle-options.mjs";
import { importsOf } from "./source-files.ts";

const root = resolve(import.meta.dirname, "../..");

/** The code of the recipe: the three files, and the lines of the list. */
function recipe(): { files: Map<string, string>; importLine: string; entry: string } {
  const text = readFileSync(join(root, "docs/recipes/add-a-kind.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = ""]) => code.replaceAll(/^ {3}/gm, ""));
  const names = [...text.matchAll(/^\d\. `(lamp[\w-]*\.ts)`/gm)].map(([, name = ""]) => name);
  expect([blocks.length, names]).toEqual([4, ["lamp-type.ts", "lamp.ts", "lamp-kind.ts"]]);
  const [importLine = "", , entry = ""] = (blocks[3] ?? "").split("\n");
  return { files: new Map(names.map((name, i) => [name, blocks[i] ?? ""])), importLine, entry };
}

/** Sources of packages/api with the recipe's kind in them. */
function plant(directory: string): void {
  cpSync(join(root, "packages/api/src"), directory, { recursive: true });
  const { files, importLine, entry } = recipe();
  for (const [name, code] of files) {
    const path = join(directory, "kinds/example/lamp", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const list = join(directory, "kinds/built-in-kinds.ts");
  const text = readFileSync(list, "utf8");
  const planted = text.replace("readonly Kind[] = [", `$&\n  ${entry}`);
  expect(planted).not.toBe(text);
  writeFileSync(list, `${importLine}\n${planted}`);
}

/**
 * Lists the imports of the recipe that do not resolve to a file. The bundler drops imports of
 * types, so it does not detect them.
 */
function deadImports(directory: string): string[] {
  return [...recipe().files].flatMap(([name, code]) =>
    importsOf(code)
      .filter((specifier) => specifier.startsWith("."))
      .filter((specifier) => !existsSync(join(directory, "kinds/example/lamp", specifier)))
      .map((specifier) => `${name} imports ${specifier}`),
  );
}

/** Prints the API server's answers about the kind. */
const program = `
import { TestServer } from ${JSON.stringify(join(root, "apps/api-server/src/testing/test-server.ts"))};
const path = "/apis/example.com/v1/namespaces/default/lamps";
const lamp = { apiVersion: "example.com/v1", kind: "Lamp", metadata: { name: "desk" }, spec: { watts: 40 } };
export async function use() {
  await using server = await TestServer.start();
  const { resources } = (await server.get("/apis/example.com/v1")).json;
  const made = await server.post(path, lamp);
  const refused = await server.post(path, { ...lamp, metadata: { name: "hall" }, spec: { watts: -1 } });
  const strategic = { contentType: "application/strategic-merge-patch+json" };
  const patched = await server.patch(path + "/desk", { spec: { watts: 60 } }, strategic);
  const selected = await server.get(path + "?fieldSelector=spec.watts=60");
  const table = await server.get(path, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
  const { components } = (await server.get("/openapi/v3/apis/example.com/v1")).json;
  return {
    names: resources.map(({ name }) => name),
    made: made.json.spec,
    refused: refused.json.message,
    generation: patched.json.metadata.generation,
    selected: selected.json.items.length,
    cells: table.json.rows[0].cells.slice(0, 2),
    described: components.schemas["com.example.v1.LampSpec"].properties.watts.description,
  };
}`;

test("a new kind needs only the recipe's three files and one entry in the list", async () => {
  const directory = mkdtempSync(join(tmpdir(), "add-a-kind-"));
  try {
    plant(join(directory, "api"));
    expect(deadImports(join(directory, "api"))).toEqual([]);
    const outfile = join(directory, "planted.mjs");
    await build({
      ...bundleOptions,
      stdin: { contents: program, resolveDir: root, loader: "ts" },
      alias: { "@kintsugi/api": join(directory, "api/index.ts") },
      nodePaths: [join(root, "node_modules")],
      outfile,
      logLevel: "silent",
    });
    const { use } = (await import(pathToFileURL(outfile).href)) as { use: () => Promise<unknown> };
    expect(await use()).toEqual({
      names: ["lamps", "lamps/status"],
      made: { watts: 40, dimmed: false },
      refused: 'Lamp.example.com "hall" is invalid: spec.watts: Invalid value: -1: must be greater than or equal to 0',
      generation: 2,
      selected: 1,
      cells: ["desk", 60],
      described: "Power of the bulb in watts.",
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
