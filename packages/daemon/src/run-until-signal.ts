import type { Logger } from "@kintsugi/api";

/** A long-running loop: it runs until the signal aborts, and its failure ends the process. */
export interface Loop {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Runs all loops until SIGINT or SIGTERM, or until one of them ends or fails. Then it aborts the
 * other loops and waits for them. A second signal ends the process immediately.
 * @throws AggregateError of all failed loops.
 */
export async function runUntilSignal(
  loops: readonly Loop[],
  log: Logger,
  { signals = ["SIGINT", "SIGTERM"] }: { signals?: readonly NodeJS.Signals[] | undefined } = {},
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    log.info("stopping", { because: name });
    stop.abort(new Stopped(name));
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    await runGroup(loops, stop, log);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

/** The reason on the loops' signal when the process gets a signal to stop. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

async function runGroup(loops: readonly Loop[], stop: AbortController, log: Logger): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(
    loops.map(async (loop) => {
      try {
        await loop.run(stop.signal);
      } catch (error) {
        if (!stop.signal.aborted || !isAbort(error, stop.signal)) {
          log.error("loop failed", { loop: loop.name, error });
          failures.push(error);
        }
      } finally {
        if (!stop.signal.aborted) stop.abort(new Stopped(`${loop.name} ended`));
      }
    }),
  );
  if (failures.length > 0) throw new AggregateError(failures, "a loop failed");
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

/** The exit codes of a service's process. */
export const exitCodes = { failed: 1, usage: 2, interrupted: 130 } as const;
