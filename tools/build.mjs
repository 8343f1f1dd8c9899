// Runs tasks of turbo, and prints one line about them instead of turbo's list of all packages,
// because a person who starts the demo waits for the cluster. For a failed task it prints the whole
// report of turbo. Arguments are passed to `turbo run`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A build from the cache takes less, and is not printed. */
const shownMs = 2_000;

const words = process.argv.slice(2);
const turbo = join(import.meta.dirname, "../node_modules/.bin/turbo");
const startedMs = performance.now();
const notice = setTimeout(
  () => process.stderr.write(" • Building Kintsugi; the first time takes a minute or two\n"),
  shownMs,
);
const child = spawn(turbo, ["run", ...words, "--output-logs=errors-only"], {
  stdio: ["ignore", "pipe", "pipe"],
  env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
});
const printed = [];
for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => printed.push(piece));
const [code] = await Promise.race([once(child, "close"), once(child, "error").then(([error]) => [error.message])]);
clearTimeout(notice);
const tookMs = performance.now() - startedMs;
if (code !== 0) {
  process.stderr.write(Buffer.concat(printed));
  if (typeof code === "string") process.stderr.write(`turbo cannot be run: ${code}; run \`npm ci\` first\n`);
  process.exitCode = typeof code === "number" ? code : 1;
} else if (tookMs >= shownMs) process.stderr.write(` ✓ Built Kintsugi (${(tookMs / 1000).toFixed(1)}s)\n`);
