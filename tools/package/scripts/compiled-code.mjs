// Keeps V8's compiled code of a program in the user's cache directory, a file for each program and
// version of V8. A user who may write there decides what code is run, so the directory and the file
// have to belong to this user, and no other user may write them. Without such a directory, the
// program is compiled at each start.
//
// The file: its checksum, the length of its index, the index, and the code of each script.
//   crc32 of the rest (4 bytes) · bytes of the index (4)
//   {"<path>":{"checksum":…,"at":…,"bytes":…}}
//   code, each at a multiple of 8, because V8 copies other code
const fs = process.getBuiltinModule("node:fs");
const { homedir } = process.getBuiltinModule("node:os");
const path = process.getBuiltinModule("node:path");
const { crc32 } = process.getBuiltinModule("node:zlib");

/** The code of the largest program takes 6 MB. */
const fileBytesMax = 64 * 1024 * 1024;
const alignment = 8;

/**
 * The compiled code of a program.
 * @param {string} program The program's script.
 */
export function compiledCode(program, directory = cacheDirectory) {
  const root = path.join(path.dirname(program), "../../..");
  const kept = attempt(() => readCode(fileOf(program, root, directory))) ?? new Map();
  const added = new Map();
  let isStarting = true;
  const nameOf = (filename) => path.relative(root, filename);
  const compiled = (entry) => (entry.code ??= entry.script.createCachedData());
  const write = () => {
    if (added.size === 0) return;
    const all = new Map([...kept, ...added]);
    added.clear();
    // A home that is missing, full or read-only costs time, and no function.
    attempt(() => writeCode(fileOf(program, root, directory), all));
  };
  return {
    of(filename, bytes) {
      const { checksum, code } = kept.get(nameOf(filename)) ?? {};
      return checksum === crc32(bytes) ? code : undefined;
    },
    add(filename, bytes, script) {
      if (isStarting) added.set(nameOf(filename), { checksum: crc32(bytes), script });
    },
    keep() {
      for (const entry of added.values()) compiled(entry);
      write();
    },
    /**
     * The code of a script takes some milliseconds, and requests are served in between. Later code
     * is not kept, because the code in memory is only needed at a start.
     */
    async keepInTurns() {
      for (const entry of added.values()) {
        compiled(entry);
        await new Promise((resolve) => setImmediate(resolve));
      }
      write();
      isStarting = false;
      kept.clear();
    },
  };
}

function attempt(step) {
  try {
    return step();
  } catch {
    return undefined;
  }
}

/** @throws Error where no directory is safe. */
function fileOf(program, root, directory) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const name = path.relative(root, program).replaceAll(/[\\/]bundle[\\/]|[\\/]/g, "-");
  return path.join(directory(version), `${name}.${process.versions.v8}-${process.arch}`);
}

/** @throws Error where the directory belongs to another user. */
export function cacheDirectory(version, environment = process.env) {
  const { HOME: home = homedir() } = environment;
  const user = process.getuid?.();
  if (!path.isAbsolute(home)) throw new Error("a home that depends on the folder");
  if (user !== undefined && fs.statSync(home).uid !== user) throw new Error("another user's home");
  const all = path.join(userCache(home, environment), "kintsugi", "compiled-code");
  const own = path.join(all, version);
  if (fs.mkdirSync(own, { recursive: true, mode: 0o700 }) !== undefined) removeOthers(all, version);
  const { uid, mode } = fs.statSync(own);
  if (user === undefined) return own;
  if (uid !== user) throw new Error("another user's directory");
  if ((mode & 0o022) !== 0) fs.chmodSync(own, 0o700);
  return own;
}

function userCache(home, environment) {
  if (process.platform === "win32") return environment.LOCALAPPDATA ?? path.join(home, "AppData", "Local");
  if (process.platform === "darwin") return path.join(home, "Library", "Caches");
  const { XDG_CACHE_HOME: named = "" } = environment;
  return path.isAbsolute(named) ? named : path.join(home, ".cache");
}

/**
 * A new version removes the directories of the other versions, so updates do not use additional
 * space.
 */
function removeOthers(all, version) {
  for (const other of fs.readdirSync(all)) {
    if (other !== version) fs.rmSync(path.join(all, other), { recursive: true, force: true });
  }
}

/** @throws Error for a file that is missing, incomplete, or that another user may have written. */
function readCode(file) {
  const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    // The descriptor's own facts: a path may lead to another file by now.
    const { uid, mode, nlink, size } = fs.fstatSync(descriptor);
    const user = process.getuid?.() ?? uid;
    if (uid !== user || (mode & 0o022) !== 0 || nlink !== 1) throw new Error("another user's file");
    if (size > fileBytesMax) throw new Error("too large");
    const bytes = fs.readFileSync(descriptor);
    if (bytes.readUInt32LE() !== crc32(bytes.subarray(4))) throw new Error("incomplete");
    const end = 8 + bytes.readUInt32LE(4);
    const index = JSON.parse(bytes.toString("latin1", 8, end));
    const entries = Object.entries(index).map(([name, { checksum, at, bytes: length }]) => {
      const begin = aligned(end) + at;
      return [name, { checksum, code: bytes.subarray(begin, begin + length) }];
    });
    return new Map(entries);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Writes whole or not at all, because several processes of one program may do so. */
function writeCode(file, entries) {
  const index = {};
  const pieces = [];
  let at = 0;
  for (const [name, { checksum, code }] of entries) {
    index[name] = { checksum, at, bytes: code.length };
    pieces.push(code, Buffer.alloc(aligned(code.length) - code.length));
    at += aligned(code.length);
  }
  const text = Buffer.from(JSON.stringify(index), "latin1");
  const padding = Buffer.alloc(aligned(8 + text.length) - 8 - text.length);
  const bytes = Buffer.concat([Buffer.alloc(8), text, padding, ...pieces]);
  bytes.writeUInt32LE(text.length, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(4)));
  const whole = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(whole, bytes, { mode: 0o600, flag: "wx" });
    fs.renameSync(whole, file);
  } catch (error) {
    fs.rmSync(whole, { force: true });
    throw error;
  }
}

function aligned(bytes) {
  return Math.ceil(bytes / alignment) * alignment;
}
