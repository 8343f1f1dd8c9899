// Starts a program of the npm package with the compiled code of its last start, which the user's
// cache directory keeps for each version of the package and of V8. V8 takes a third of a program's
// start to compile it, and Node.js's own cache (22 and newer) lacks the functions that V8 compiles
// when they are called first.
import { compiledCode } from "./compiled-code.mjs";
import { loadScripts } from "./load-scripts.mjs";

const { fileURLToPath } = process.getBuiltinModule("node:url");
const { setFlagsFromString } = process.getBuiltinModule("node:v8");

/** Milliseconds after which a program has called most of the functions of its start. */
const startTakesMs = 10_000;

/**
 * Runs the script that lies next to a program's file.
 * @param {string} url The URL of the program's file: ".../apps/kubelet/bundle/main.mjs".
 */
export async function startProgram(url) {
  // Services set this flag (packages/daemon/src/service.ts), and V8 takes compiled code only with
  // the flags of the run that it was made in.
  setFlagsFromString("--no-allocation-site-pretenuring");
  const file = fileURLToPath(url).replace(/\.mjs$/, ".script.js");
  const code = compiledCode(file);
  setTimeout(() => void code.keepInTurns(), startTakesMs).unref();
  process.once("exit", () => code.keep());
  await loadScripts(code)(file);
}
