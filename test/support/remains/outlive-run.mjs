// Waits until its standard input ends, which happens when the process at the other end no longer
// exists, for any reason; then removes the remains of tests that no longer exist (clear.ts). It
// loads no other code until there is work. Usage: node test/support/remains/outlive-run.mjs
// </dev/null
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const notesDirectory = join(tmpdir(), `kintsugi-tests-${process.getuid?.() ?? 0}`);
const tsx = import.meta.resolve("tsx");

process.stdin.resume();
process.stdin.once("end", () => {
  if (!hasNotes()) return;
  const args = ["--conditions=@kintsugi/source", "--import", tsx, join(import.meta.dirname, "clear-main.ts")];
  execFileSync(process.execPath, args, { stdio: "inherit" });
});

function hasNotes() {
  try {
    return readdirSync(notesDirectory).length > 0;
  } catch {
    return false;
  }
}
