// Writes the V8 code cache of a bundled program's start, for tools/start.mjs: node
// tools/make-code-cache.mjs <program>.script.js [words…]. The program runs with these words, by
// default --help, which compiles the functions that loading it calls, and little else.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";

const [file = ""] = process.argv.splice(2, 1);
if (!file.endsWith(".script.js")) throw new Error("usage: node tools/make-code-cache.mjs <program>.script.js [words…]");
if (process.argv.length === 2) process.argv.push("--help");

const filename = resolve(file);
const bytes = readFileSync(filename);
const script = new Script(bytes.latin1Slice(), {
  filename,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
process.on("exit", () => {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  writeFileSync(filename.replace(/\.script\.js$/, ".code-cache"), Buffer.concat([checksum, script.createCachedData()]));
});
script.runInThisContext()(createRequire(filename), filename);
