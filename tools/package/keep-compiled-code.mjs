// Lets Node.js (22 and newer) store the compiled code of the programs in the user's cache
// directory, so that V8 compiles them once for each of its versions. A user that may write there
// controls the executed code, so the directory has to belong to this user, and other users must not
// be able to write into it. Without such a directory the programs are compiled at each start.
// Node.js's own modules are loaded without `import`, which reads each of their properties
// (tools/bundle-plugins.mjs).
const { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } = process.getBuiltinModule("node:fs");
const module = process.getBuiltinModule("node:module");
const { homedir } = process.getBuiltinModule("node:os");
const path = process.getBuiltinModule("node:path");

try {
  const directory = cacheDirectory();
  if (module.enableCompileCache !== undefined && directory !== undefined) module.enableCompileCache(directory);
} catch {
  // A home that is missing, full or read-only only costs time.
}

function cacheDirectory() {
  const home = homedir();
  const user = process.getuid?.();
  if (user !== undefined && statSync(home).uid !== user) return undefined;
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  const all = path.join(userCache(home), "kintsugi", "compiled-code");
  const own = path.join(all, version);
  if (mkdirSync(own, { recursive: true, mode: 0o700 }) !== undefined) removeOthers(all, version);
  const { uid, mode } = statSync(own);
  if (user === undefined) return own;
  if (uid !== user) return undefined;
  if ((mode & 0o022) !== 0) chmodSync(own, 0o700);
  return own;
}

function userCache(home) {
  if (process.platform === "win32") return process.env.LOCALAPPDATA ?? path.join(home, "AppData", "Local");
  if (process.platform === "darwin") return path.join(home, "Library", "Caches");
  const { XDG_CACHE_HOME: named = "" } = process.env;
  return path.isAbsolute(named) ? named : path.join(home, ".cache");
}

/**
 * A new version begins with an empty directory, and the directories of other versions are removed,
 * so that updates do not make it grow.
 */
function removeOthers(all, version) {
  for (const other of readdirSync(all)) {
    if (other !== version) rmSync(path.join(all, other), { recursive: true, force: true });
  }
}
