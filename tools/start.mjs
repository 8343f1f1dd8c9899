// Starts the program that lies beside this file: main.script.js, with V8's compiled code of it in
// main.code-cache, beside main.mjs. Compiling a service's four megabytes takes V8 70 ms and as many
// again for the functions that a start calls, so that was done when they were bundled. Code that is
// missing, or not of this very program, or refused by V8 because its own version or flags are
// others, is left aside: then the program is compiled as ever. So is one that is run with
// --enable-source-maps, by Node's own loader, because Node reads no map of a Script.
import { readFileSync } from "node:fs";
import { createRequire, Module } from "node:module";
import { fileURLToPath } from "node:url";
import { constants, Script } from "node:vm";
import { crc32 } from "node:zlib";

const program = fileURLToPath(import.meta.url).replace(/\.mjs$/, "");
const filename = `${program}.script.js`;
const start = process.sourceMapsEnabled ? loadMapped() : loadScript().runInThisContext();
start(createRequire(filename), filename);

function loadScript() {
  const bytes = readFileSync(filename);
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
  return new Script(bytes.latin1Slice(), { filename, cachedData: codeOf(bytes), importModuleDynamically });
}

function loadMapped() {
  const module = new Module(filename);
  // The program is on the same line: the map is about lines.
  module._compile(`module.exports = ${readFileSync(filename, "latin1")}`, filename);
  return module.exports;
}

/**
 * The file's first four bytes are the program's checksum: V8 itself compares nothing but the
 * length.
 */
function codeOf(bytes) {
  try {
    const code = readFileSync(`${program}.code-cache`);
    return code.readUInt32BE() === crc32(bytes) ? code.subarray(4) : undefined;
  } catch {
    return undefined;
  }
}
