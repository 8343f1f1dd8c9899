import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Shows new lines of the logs in `directory`, on standard error, until the signal aborts. */
export async function followLogs(directory: string, signal: AbortSignal): Promise<void> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".log")).map((file) => join(directory, file));
  const tail = spawn("tail", ["--lines=0", "--follow=name", "--retry", ...files], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve) => tail.once("close", () => resolve()));
  const stop = () => tail.kill();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await ended;
}
