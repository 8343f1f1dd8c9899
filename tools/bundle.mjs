// Bundles an app's programs, src/main.ts and src/*-main.ts, into bundle/. One file starts a third
// faster than a tree of modules, and with its V8 code cache a third faster again. Run from the
// app's folder. Each program has these files:
//   main.mjs          tools/start.mjs, which is run and loads the other two
//   main.script.js    the program, as a function of `require` and its own file's name
//   main.code-cache   V8's compiled code of it
// A program that awaits at its top level cannot be such a function: it is main.mjs alone, an ES
// module.
import { execFileSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { bundleOptions } from "./bundle-options.mjs";

const outdir = "bundle";
const common = { ...bundleOptions, outdir, sourcemap: true, logLevel: "error" };
const tools = import.meta.dirname;
/**
 * The arguments with which an app's programs run once, so that V8 has compiled the functions that
 * they mostly use, from its package.json. Default --help.
 */
const { warmUp = [] } = JSON.parse(readFileSync("package.json", "utf8")).config ?? {};

rmSync(outdir, { recursive: true, force: true });
for (const file of readdirSync("src").filter((name) => /^(.+-)?main\.ts$/.test(name))) {
  const program = file.replace(/\.ts$/, "");
  if (!(await bundleScript(program))) await bundleModule(program);
}

async function bundleModule(program) {
  await build({ ...common, entryPoints: [`src/${program}.ts`], outExtension: { ".js": ".mjs" } });
  keepToAscii(join(outdir, `${program}.mjs`));
}

/** Bundles a program as a script, and reports whether that was possible. */
async function bundleScript(program) {
  const options = {
    ...common,
    entryPoints: [`src/${program}.ts`],
    format: "cjs",
    outExtension: { ".js": ".script.js" },
    define: { "import.meta.url": "__moduleUrl" },
    // V8's compiled code of a script has lost the data that Node needs for import(); require does
    // the same.
    supported: { "dynamic-import": false },
    banner: {
      js: [
        "(function (require, __filename) {",
        '"use strict";',
        "const module = { exports: {} };",
        'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
        'const __dirname = require("node:path").dirname(__filename);',
      ].join("\n"),
    },
    footer: { js: "})" },
  };
  try {
    await build({ ...options, logLevel: "silent" });
  } catch (error) {
    if (error.errors?.some(({ text }) => text.startsWith("Top-level await"))) return false;
    throw error;
  }
  const script = join(outdir, `${program}.script.js`);
  keepToAscii(script);
  copyFileSync(join(tools, "start.mjs"), join(outdir, `${program}.mjs`));
  execFileSync(process.execPath, [join(tools, "make-code-cache.mjs"), script, ...warmUp], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return true;
}

/**
 * esbuild escapes all characters that are not ASCII, except in comments. One letter in a comment of
 * a dependency made V8 store four megabytes of source with two bytes per letter, for as long as the
 * process runs.
 */
function keepToAscii(file) {
  const text = readFileSync(file, "utf8");
  const escaped = text.replace(
    /[\u0080-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  if (escaped !== text) writeFileSync(file, escaped);
}
