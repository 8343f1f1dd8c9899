import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { join } from "node:path";

/**
 * Vitest's global set-up: starts a process that outlives this process, to remove the remains of
 * tests that are ended in the middle. It has its own session, so that a signal to this run's
 * process group does not reach it.
 */
export default function outliveRun(): () => Promise<void> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "outlive-run.mjs")], {
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
    cwd: "/",
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.unref();
  (child.stdin as Socket).unref();
  return async () => {
    child.ref();
    child.stdin.end();
    await ended;
  };
}
