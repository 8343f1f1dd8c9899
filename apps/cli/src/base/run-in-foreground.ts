import { spawn } from "node:child_process";
import { once } from "node:events";
import { AlreadyTold } from "./command.ts";

/**
 * Runs a separate program with this terminal until it exits. It receives Ctrl-C from the terminal
 * as well, and SIGTERM when the signal aborts, so that it exits cleanly.
 * @throws AlreadyTold when it fails.
 */
export async function runInForeground(
  [program = "", ...words]: readonly string[],
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const child = spawn(program, words, { stdio: "inherit" });
  const stop = () => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const [code] = (await once(child, "exit")) as [number | null];
  signal.removeEventListener("abort", stop);
  if (code !== 0 && !signal.aborted) throw new AlreadyTold(code ?? 1);
}
