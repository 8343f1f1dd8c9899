// Copies the unbundled modules, and all their dependencies, into <target>/node_modules: node
// tools/copy-native-modules.mjs <target>.
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [target] = process.argv.slice(2);
if (!target) throw new Error("usage: node tools/copy-native-modules.mjs <target>");

/** The external modules of bundle-options.mjs; pino-pretty is for people at a terminal. */
const wanted = ["classic-level"];
/** Sources and other systems' binaries: five of the six megabytes. */
const unneeded = /\/classic-level\/(deps|binding\.cc|prebuilds\/(?!linux-))/;

const copied = new Set();
for (const name of wanted) {
  if (copied.has(name)) continue;
  copied.add(name);
  const source = join("node_modules", name);
  cpSync(source, join(target, "node_modules", name), { recursive: true, filter: (path) => !unneeded.test(path) });
  wanted.push(...Object.keys(JSON.parse(readFileSync(join(source, "package.json"), "utf8")).dependencies ?? {}));
}
