import { expect, test } from "vitest";
import {
  bundledPackages,
  entryPoints,
  externalPackages,
  libraryModule,
  loadedBytes,
  manifest,
  packageFaults,
  packedBytesMax,
  testServerBytesMax,
} from "./plan-package.mjs";

test("each program of the apps is an entry point if a checkout has its bundle", () => {
  const files = [
    "apps/kubelet/src/main.ts",
    "apps/cli/src/node-main.ts",
    "apps/cli/src/main.test.ts",
    "apps/a/src/b.ts",
  ];
  expect(entryPoints(files)).toEqual({
    "apps/cli/bundle/node-main": "apps/cli/src/node-main.ts",
    "apps/kubelet/bundle/main": "apps/kubelet/src/main.ts",
  });
});

test("a library is a module that names each of its script's exports", () => {
  const text = libraryModule("index.script.js", ["startCluster", "runs"]);
  expect(text).toContain("export const { startCluster, runs } = loadScripts()(file);");
  expect(text).toContain('"./index.script.js"');
});

test("a program's start loads its static imports transitively, and does not load later imports", () => {
  const imported = (...paths: string[]) => paths.map((path) => ({ path, kind: "import-statement" }));
  const outputs = {
    main: { bytes: 1, imports: [...imported("a", "node:fs"), { path: "later", kind: "dynamic-import" }] },
    a: { bytes: 10, imports: imported("b") },
    b: { bytes: 100, imports: imported("a") },
    later: { bytes: 1000, imports: imported("b") },
  };
  expect(loadedBytes(outputs, "main")).toBe(111);
});

test("the manifest does not run a script at an installation, and is not restricted to a system", () => {
  const checkout = { name: "kintsugi", version: "1.2.3", private: true, scripts: { test: "x" }, workspaces: ["a"] };
  const made = JSON.parse(JSON.stringify(manifest(checkout, { "classic-level": "3.0.0" }))) as object;
  expect(made).toEqual({
    name: "kintsugi",
    version: "1.2.3",
    type: "module",
    exports: {
      "./testing": { types: "./apps/testing/bundle/index.d.mts", default: "./apps/testing/bundle/index.mjs" },
      "./package.json": "./package.json",
    },
    dependencies: { "classic-level": "3.0.0" },
  });
});

test("bundled packages and external packages are recognized by the files of the build", () => {
  const inputs = ["node_modules/zod/v4/index.js", "node_modules/@grpc/grpc-js/a/node_modules/long/b.js", "apps/a.ts"];
  expect(bundledPackages(inputs)).toEqual(["long", "zod"]);
  const imports = [
    { path: "classic-level", external: true },
    { path: "node:fs", external: true },
    { path: "os", external: true },
    { path: "apps/shared/bundle/chunk.mjs" },
  ];
  expect(externalPackages([{ imports }, { imports }])).toEqual(["classic-level"]);
});

const files = [
  "README.md",
  "LICENSE",
  "THIRD-PARTY-LICENSES.txt",
  "bin/kintsugi",
  "apps/cli/bundle/main.mjs",
  "apps/testing/bundle/index.mjs",
];
const fit = { files, packedBytes: 1, unpackedBytes: 1, testServerBytes: 1 };
const dependencies = { "classic-level": "3.0.0" };

test("a package that may be published does not have a fault", () => {
  expect(packageFaults(fit, { dependencies })).toEqual([]);
});

test.each([
  [{ ...fit, files: [...files, "a/main.mjs.map"] }, { dependencies }, "a/main.mjs.map does not belong"],
  [{ ...fit, files: [...files, "a/main.code-cache"] }, { dependencies }, "a/main.code-cache does not belong"],
  [{ ...fit, files: files.slice(1) }, { dependencies }, "README.md is missing"],
  [{ ...fit, packedBytes: packedBytesMax + 1 }, { dependencies }, "bytes packed are over"],
  [{ ...fit, testServerBytes: testServerBytesMax + 1 }, { dependencies }, "a test server loads 5500001 bytes"],
  [fit, { dependencies, scripts: { postinstall: "x" } }, "runs code when it is installed"],
  [fit, { dependencies: { ...dependencies, zod: "4.0.0" } }, "the dependency zod can be bundled"],
  [fit, { dependencies: {} }, "classic-level, which keeps objects on disk, is missing"],
])("a package that must not be published has the fault: %#", (content, made, fault) => {
  expect(packageFaults(content, made)).toEqual([expect.stringContaining(fault)]);
});
