// Loads the scripts of the npm package (script-of-module.mjs): each is a function that returns its
// exports, and is called once.
const { readFileSync } = process.getBuiltinModule("node:fs");
const { createRequire } = process.getBuiltinModule("node:module");
const path = process.getBuiltinModule("node:path");
const { constants, Script } = process.getBuiltinModule("node:vm");

const uncompiled = { of: () => undefined, add: () => {} };

/**
 * Returns a function that returns the exports of a script.
 * @param {import("./compiled-code.mjs").CompiledCode} [code]
 */
export function loadScripts(code = uncompiled) {
  const loaded = new Map();
  const load = (filename) => {
    const known = loaded.get(filename);
    if (known !== undefined) return known.exports;
    const bytes = readFileSync(filename);
    const cachedData = code.of(filename, bytes);
    // Scripts are ASCII. A string of another encoding would take V8 twice the memory.
    const script = new Script(bytes.latin1Slice(), {
      filename,
      cachedData,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    if (cachedData === undefined || script.cachedDataRejected) code.add(filename, bytes, script);
    const directory = path.dirname(filename);
    const exports = script.runInThisContext()(
      (relative) => load(path.join(directory, relative)),
      createRequire(filename),
      filename,
      directory,
    );
    loaded.set(filename, { exports });
    return exports;
  };
  return load;
}
