// The content of the npm package, computed from the checkout's own files.
import { isBuiltin } from "node:module";

/**
 * The programs of the apps as entry points of one build, by the location of each in the package. A
 * program has the location of its bundle in a checkout, so that programs find each other in the
 * same way.
 */
export function entryPoints(files) {
  const programs = files.filter((file) => /^apps\/[^/]+\/src\/(.+-)?main\.ts$/.test(file)).toSorted(byName);
  return Object.fromEntries(
    programs.map((file) => {
      const [, app, , name = ""] = file.split("/");
      return [`apps/${app}/bundle/${name.replace(/\.ts$/, "")}`, file];
    }),
  );
}

/** The file of a program that Node.js runs. Its script lies next to it. */
export const launcher = `import { startProgram } from "../../shared/bundle/start-program.mjs";
await startProgram(import.meta.url);
`;

/** The file of a library that is imported, with the names that its script exports. */
export function libraryModule(script, names) {
  return [
    'import { loadScripts } from "../../shared/bundle/load-scripts.mjs";',
    `const file = process.getBuiltinModule("node:url").fileURLToPath(new URL("./${script}", import.meta.url));`,
    `export const { ${names.join(", ")} } = loadScripts()(file);`,
    "",
  ].join("\n");
}

/** The libraries of the package, at the same depth as programs. */
export const libraries = { "apps/testing/bundle/index": "packages/testing/src/index.ts" };

const libraryExports = {
  "./testing": { types: "./apps/testing/bundle/index.d.mts", default: "./apps/testing/bundle/index.mjs" },
  "./package.json": "./package.json",
};

/** The manifest of the package: the checkout's, without the parts that only a checkout has. */
export function manifest({ name, version, description, license, keywords, engines, bin }, dependencies) {
  return {
    name,
    version,
    description,
    license,
    keywords,
    type: "module",
    engines,
    bin,
    exports: libraryExports,
    dependencies,
  };
}

/** The packages whose code is in the outputs of esbuild: "zod", "@grpc/grpc-js". */
export function bundledPackages(inputs) {
  const names = inputs.flatMap((input) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? [];
    return name === undefined ? [] : [name];
  });
  return [...new Set(names)].toSorted(byName);
}

/** The packages that the outputs of esbuild import when they run, without Node's own modules. */
export function externalPackages(outputs) {
  const paths = outputs.flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path));
  const isOwn = (path) => isBuiltin(path) || (path.startsWith(".") && !path.includes("node_modules"));
  return [...new Set(paths.filter((path) => !isOwn(path)))].toSorted(byName);
}

/**
 * The bytes of code that a program loads before it does anything: its own file and all its imports,
 * except parts that are loaded on demand.
 */
export function loadedBytes(outputs, entry) {
  const loaded = new Set([entry]);
  for (const place of loaded)
    for (const { path, kind } of outputs[place].imports)
      if (kind === "import-statement" && outputs[path] !== undefined) loaded.add(path);
  return [...loaded].reduce((sum, place) => sum + outputs[place].bytes, 0);
}

/**
 * A start of the test server takes time and memory for each byte, so an unnecessary import shows
 * here.
 */
export const testServerBytesMax = 5_500_000;

/** Limits on the sizes of each installation, because without a limit a package grows unnoticed. */
export const packedBytesMax = 6_000_000;
export const unpackedBytesMax = 20_000_000;

/** Lists the reasons why a package must not be published. */
export function packageFaults({ files, packedBytes, unpackedBytes, testServerBytes }, { scripts, dependencies }) {
  const forbidden = files.filter((file) => /\.(map|code-cache|node|ts|tsx)$|\.test\.|(^|\/)node_modules\//.test(file));
  const needed = [
    "README.md",
    "LICENSE",
    "THIRD-PARTY-LICENSES.txt",
    "bin/kintsugi",
    "apps/cli/bundle/main.mjs",
    "apps/testing/bundle/index.mjs",
  ];
  return [
    ...forbidden.map((file) => `${file} does not belong into the package`),
    ...needed.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...(packedBytes > packedBytesMax ? [`${packedBytes} bytes packed are over ${packedBytesMax}`] : []),
    ...(unpackedBytes > unpackedBytesMax ? [`${unpackedBytes} bytes unpacked are over ${unpackedBytesMax}`] : []),
    ...(testServerBytes > testServerBytesMax
      ? [`a test server loads ${testServerBytes} bytes of code at its start, which are over ${testServerBytesMax}`]
      : []),
    ...(scripts === undefined ? [] : ["a package with scripts runs code when it is installed"]),
    ...(dependencies["classic-level"] === undefined ? ["classic-level, which keeps objects on disk, is missing"] : []),
    ...Object.keys(dependencies)
      .filter((name) => name !== "classic-level")
      .map((name) => `the dependency ${name} can be bundled`),
  ];
}

/** One order on every machine: characters by their codes. */
export function byName(left, right) {
  return left < right ? -1 : Number(left > right);
}
