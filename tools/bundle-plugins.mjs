// Plugins of esbuild that exclude unused code from a program.
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";

/**
 * zod includes its messages in sixty languages, as one namespace that esbuild cannot shake.
 * Programs have their own messages, and zod's English for the rest.
 */
export const withoutLanguages = {
  name: "without-languages",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path, importer, resolveDir }) =>
      /[\\/]node_modules[\\/]zod[\\/]/.test(importer)
        ? { path: join(resolveDir, path), namespace: "languages", sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "languages" }, ({ path }) => ({
      contents: 'export { default as en } from "./en.js";',
      resolveDir: dirname(path),
    }));
  },
};

/**
 * fastify loads these when a route has a schema, or when a test injects a request. Programs do
 * neither: the API server's listener declares that it has no compilers.
 */
export const withoutSchemaCompilers = {
  name: "without-schema-compilers",
  setup({ onResolve, onLoad }) {
    const filter = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/;
    onResolve({ filter }, ({ path }) => ({ path, namespace: "left-out" }));
    onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of this program`)});`,
    }));
  },
};

/**
 * Loads Node.js's own modules without `import`, which reads each of their properties: the
 * properties of node:http load a whole client of fetch and WebSockets, the properties of
 * node:crypto probe all algorithms, and together they cost a tenth of a program's start.
 */
export const builtinsByProperty = {
  name: "builtins-by-property",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) =>
      kind === "import-statement" && isBuiltin(path)
        ? { path: path.startsWith("node:") ? path : `node:${path}`, namespace: "builtin", sideEffects: false }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
    }));
  },
};

const importOfWorkspace = /^import \{([^}]*)\} from "(@kintsugi\/[^"]+)";$/gm;
const reexport = /^export \{([^}]*)\} from "(\.[^"]+)";$/gm;

/**
 * Imports names of workspaces from the files that define them, bypassing the list of exports. In a
 * build with shared chunks esbuild considers each file of such a list needed by all programs that
 * import one name of it: a test server would load NATS, gRPC and the rehearsals. The result is the
 * same if files have no side effects when they are loaded, as package.json declares.
 */
export const pastExportLists = {
  name: "past-export-lists",
  setup({ onLoad, resolve }) {
    /** The source of each name that a file re-exports, by file. */
    const lists = new Map();
    const placesOf = (file) => {
      if (!lists.has(file)) lists.set(file, readPlaces(file));
      return lists.get(file);
    };
    const written = async (names, specifier, importer) => {
      const { path, errors } = await resolve(specifier, {
        kind: "import-statement",
        resolveDir: dirname(importer),
        importer,
      });
      if (errors.length > 0) return undefined;
      const imports = names.map(({ name, alias, isType }) => {
        if (isType) return "";
        const { file, name: original } = definitionOf(placesOf, path, name);
        return `import { ${original} as ${alias} } from ${JSON.stringify(file)};`;
      });
      return imports.join(" ");
    };
    onLoad({ filter: /[\\/](packages|apps)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const text = readFileSync(path, "utf8");
      const found = [...text.matchAll(importOfWorkspace)];
      const pieces = await Promise.all(found.map(([, names, from]) => written(namesIn(names), from, path)));
      let at = 0;
      let contents = "";
      for (const [i, match] of found.entries()) {
        const lines = match[0].split("\n").length - 1;
        contents +=
          text.slice(at, match.index) + (pieces[i] ?? match[0]) + (pieces[i] === undefined ? "" : "\n".repeat(lines));
        at = match.index + match[0].length;
      }
      return { contents: contents + text.slice(at), loader: "ts" };
    });
  },
};

/** Follows a name through the re-exports to the file that defines it. */
function definitionOf(placesOf, file, name) {
  const place = placesOf(file)?.get(name);
  return place === undefined ? { file, name } : definitionOf(placesOf, place.file, place.name);
}

function readPlaces(file) {
  const places = new Map();
  for (const [, names, from] of readFileSync(file, "utf8").matchAll(reexport))
    for (const { name, alias } of namesIn(names)) places.set(alias, { file: join(dirname(file), from), name });
  return places;
}

/** "type A, b as c" as its names. */
function namesIn(text) {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map((each) => {
      const [, type, name, alias = name] = /^(type )?(\S+)(?: as (\S+))?$/.exec(each);
      return { name, alias, isType: type !== undefined };
    });
}
