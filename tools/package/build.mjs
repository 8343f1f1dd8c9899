// npm run package: makes the npm package in dist/kintsugi, and its file
// dist/kintsugi-<version>.tgz. All programs are one build, which shares their common code: 17
// bundles would contain the same code 17 times. The pages are the pages of `npm run bundle`.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "../bundle-options.mjs";
import { builtinsByProperty, pastExportLists } from "../bundle-plugins.mjs";
import { thirdPartyLicenses, withDependencies } from "./notices.mjs";
import {
  bundledPackages,
  byName,
  entryPoints,
  externalPackages,
  launcher,
  libraries,
  libraryModule,
  loadedBytes,
  manifest,
  packageFaults,
} from "./plan-package.mjs";
import { scriptFile, scriptOfModule } from "./scripts/script-of-module.mjs";

const repository = join(import.meta.dirname, "../..");
process.chdir(repository);
const target = "dist/kintsugi";
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

rmSync(target, { recursive: true, force: true });
const programs = entryPoints(filesBelow("apps", (folder) => folder !== "node_modules" && folder !== "bundle"));
const { metafile, outputFiles } = await build({
  ...bundleOptions,
  // Scripts have the names of esbuild's banner as parameters (script-of-module.mjs).
  banner: {},
  plugins: [...bundleOptions.plugins, builtinsByProperty, pastExportLists],
  entryPoints: { ...programs, ...libraries },
  outdir: target,
  outExtension: { ".js": ".mjs" },
  splitting: true,
  // Shared code is at the same depth as programs, so that a path relative to a program's file is
  // the same in it.
  chunkNames: "apps/shared/bundle/[name]-[hash]",
  // Names are kept, for readable stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
});
for (const { path, text } of outputFiles) {
  const place = relative(target, path).replaceAll("\\", "/");
  const { imports, exports } = metafile.outputs[`${target}/${place}`];
  const isProgram = programs[place.replace(/\.mjs$/, "")] !== undefined;
  const laterImports = imports.flatMap(({ kind, path: imported, external }) => {
    if (kind !== "dynamic-import") return [];
    return [external ? imported : pathFrom(dirname(place), relative(target, imported))];
  });
  const script = scriptFile(place);
  mkdirSync(dirname(join(target, place)), { recursive: true });
  write(script, scriptOfModule(text, { isProgram, laterImports }));
  if (isProgram) write(place, launcher);
  else if (libraries[place.replace(/\.mjs$/, "")] !== undefined) write(place, libraryModule(basename(script), exports));
}

for (const part of ["start-program", "compiled-code", "load-scripts"])
  copy(`tools/package/scripts/${part}.mjs`, `apps/shared/bundle/${part}.mjs`);
copy("tools/package/README.md", "README.md");
copy("tools/package/testing.d.mts", "apps/testing/bundle/index.d.mts");
for (const same of ["LICENSE", "bin/kintsugi", "demo/web.yaml", "apps/simulator/scenarios"]) copy(same, same);
// The examples of lessons, without the reports that tests compare.
for (const example of readdirSync("demo/rehearsals")) {
  const file = `demo/rehearsals/${example}/cluster.yaml`;
  if (existsSync(file)) copy(file, file);
}
chmodSync(join(target, "bin/kintsugi"), 0o755);
for (const page of [
  "dashboard/bundle",
  "dashboard/player/bundle",
  "dashboard/playground/bundle",
  "playground/bundle",
]) {
  if (!existsSync(join("apps", page))) throw new Error(`apps/${page} is not there: run \`npm run bundle\` first`);
  copy(join("apps", page), join("apps", page));
}
const pages = ["apps/dashboard", "apps/playground"].flatMap((app) =>
  Object.keys(readJson(join(app, "package.json")).dependencies),
);
const inPages = withDependencies(repository, pages);
const inPrograms = bundledPackages(Object.keys(metafile.inputs));
write(
  "THIRD-PARTY-LICENSES.txt",
  thirdPartyLicenses(repository, [...new Set([...inPrograms, ...inPages])].toSorted(byName)),
);
const manifestOf = (name) => join("node_modules", name, "package.json");
// Libraries try to load optional accelerators, which a checkout does not have either. The checkout
// was tested with these versions.
const dependencies = Object.fromEntries(
  externalPackages(Object.values(metafile.outputs))
    .filter((name) => existsSync(manifestOf(name)))
    .map((name) => [name, readJson(manifestOf(name)).version]),
);
const ours = manifest(readJson("package.json"), dependencies);
write("package.json", `${JSON.stringify(ours, null, 2)}\n`);

const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", "..", "--ignore-scripts"], {
  cwd: target,
  encoding: "utf8",
  // npm is a script on Windows, which only a shell can start.
  shell: process.platform === "win32",
});
const [{ filename, size, unpackedSize, entryCount, files }] = JSON.parse(packed);
const testServerBytes = loadedBytes(metafile.outputs, `${target}/apps/test-server/bundle/main.mjs`);
const content = {
  files: files.map(({ path }) => path),
  packedBytes: size,
  unpackedBytes: unpackedSize,
  testServerBytes,
};
const faults = packageFaults(content, readJson(join(target, "package.json")));
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.stdout.write(`dist/${filename}: ${entryCount} files, ${size} bytes packed, ${unpackedSize} unpacked\n`);
if (faults.length > 0) process.exitCode = 1;

function copy(from, to) {
  mkdirSync(dirname(join(target, to)), { recursive: true });
  cpSync(from, join(target, to), { recursive: true });
}

function write(file, text) {
  writeFileSync(join(target, file), text);
}

/** A path as an import of a file in that folder has it. */
function pathFrom(folder, path) {
  const found = relative(folder, path).replaceAll("\\", "/");
  return found.startsWith(".") ? found : `./${found}`;
}

function filesBelow(folder, isWanted) {
  return readdirSync(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (!statSync(path).isDirectory()) return [path];
    return isWanted(name) ? filesBelow(path, isWanted) : [];
  });
}
