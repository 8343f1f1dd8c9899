// Bundles the worker in which the services run, for browsers. Node's modules are replaced by those
// of src/node, and by modules that throw where a simulated cluster does not use them.
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";

const require = createRequire(import.meta.url);
const own = ["assert", "crypto", "events", "util", "path", "net", "os"];
/** Libraries for real disks, networks and processes. */
const absent =
  /^(classic-level|level|nats|nkeys\.js|@grpc\/grpc-js|@grpc\/proto-loader|ws|pino|prom-client|dns-packet|commander|reflect-metadata|@peculiar\/x509|parse5.*)$/;

const scenarios = join(import.meta.dirname, "../simulator/scenarios");
const shipped = Object.fromEntries(
  readdirSync(scenarios)
    .filter((file) => file.endsWith(".yaml"))
    .toSorted()
    .map((file) => [file.replace(/\.yaml$/, ""), readFileSync(join(scenarios, file), "utf8")]),
);

const rehearsals = join(import.meta.dirname, "../../demo/rehearsals");
const examples = Object.fromEntries(
  readdirSync(rehearsals)
    .filter((name) => !name.includes("."))
    .toSorted()
    .map((name) => [name, readFileSync(join(rehearsals, name, "cluster.yaml"), "utf8")]),
);

const inBrowser = {
  name: "in-browser",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path }) => {
      if (path === "events-of-browser") return { path: require.resolve("events/") };
      if (path === "shipped-scenarios") return { path, namespace: "shipped" };
      const name = path.replace(/^node:/, "");
      if (own.includes(name)) return { path: join(import.meta.dirname, `src/node/${name}.ts`) };
      const isBuiltin = path !== "buffer" && path !== "events" && builtinModules.includes(name);
      if (name === "buffer" && path.startsWith("node:")) return { path: "buffer-of-browser", namespace: "absent" };
      return isBuiltin || absent.test(path) ? { path, namespace: "absent" } : undefined;
    });
    onLoad({ filter: /.*/, namespace: "shipped" }, () => ({
      contents: `export const shippedScenarios = ${JSON.stringify(shipped)}; export const exampleClusters = ${JSON.stringify(examples)};`,
    }));
    onLoad({ filter: /.*/, namespace: "absent" }, ({ path }) => ({
      loader: "js",
      resolveDir: import.meta.dirname,
      contents:
        path === "buffer-of-browser"
          ? 'export * from "buffer/";'
          : `module.exports = require("./src/node/absent.cjs")(${JSON.stringify(path)});`,
    }));
  },
};

await build({
  entryPoints: ["src/worker.ts"],
  outfile: "bundle/simulator.js",
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  conditions: ["@kintsugi/source"],
  legalComments: "none",
  plugins: [inBrowser],
  logLevel: "error",
  define: { "import.meta.dirname": '"/"', "import.meta.filename": '"/worker.js"' },
});
