// Starts the program next to this file: main.script.js, with its V8 code cache in main.code-cache,
// next to main.mjs. Compiling a service's four megabytes takes V8 70 ms and as many again for the
// functions that a start calls, so that was done when they were bundled. A code cache that is
// missing, belongs to another program, or is rejected by V8 because its own version or flags
// differ, is ignored: then the program is compiled normally. A program that is run with
// --enable-source-maps is compiled too, by Node's own loader, because Node does not read a source
// map of a Script.
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
  // The program is on the same line, because the map refers to lines.
  module._compile(`module.exports = ${readFileSync(filename, "latin1")}`, filename);
  return module.exports;
}

/**
 * The file's first four bytes are the program's checksum, because V8 itself compares only the
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
