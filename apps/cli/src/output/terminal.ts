import type { Clock } from "@kintsugi/clock";

/** The CLI's output: data to standard output, progress to standard error. */
export interface Terminal {
  /** A line of data, to standard output. */
  out(line: string): void;
  /** A line for the user, to standard error. */
  say(line: string): void;
  /**
   * Progress of one step: it updates its own line on a terminal; without a terminal it prints only
   * its end.
   */
  step<T>(label: StepLabel, work: (update: (label: string) => void) => Promise<T>): Promise<T>;
}

/**
 * One text, or two texts if the outcome is true only at the end: a step that fails keeps the first
 * text.
 */
type StepLabel = string | { readonly doing: string; readonly done: string };

export interface TerminalDeps {
  clock: Clock;
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

/** Least duration of a step that is shown. Shorter durations are noise. */
const tookShownMs = 100;

export function createTerminal(deps: TerminalDeps, options: { colour: boolean; quiet: boolean }): Terminal {
  const paint = (code: number, text: string) => (options.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const live = deps.stderr.isTTY === true && !options.quiet;
  const say = (line: string) => {
    if (!options.quiet) deps.stderr.write(`${line}\n`);
  };
  return {
    out: (line) => void deps.stdout.write(`${line}\n`),
    say,
    async step(label, work) {
      const startedMs = deps.clock.monotonicMs();
      const { doing, done } = typeof label === "string" ? { doing: label, done: undefined } : label;
      let shown = doing;
      const draw = () => live && deps.stderr.write(`\r\u001b[K ${paint(33, "•")} ${shown} ...`);
      const finish = (mark: string) => {
        const tookMs = deps.clock.monotonicMs() - startedMs;
        const took = tookMs < tookShownMs ? "" : paint(90, ` (${formatSeconds(tookMs)})`);
        say(`${live ? "\r\u001b[K" : ""} ${mark} ${shown}${took}`);
      };
      draw();
      try {
        const result = await work((next) => {
          shown = next;
          draw();
        });
        if (shown === doing) shown = done ?? doing;
        finish(paint(32, "✓"));
        return result;
      } catch (error) {
        finish(paint(31, "✗"));
        throw error;
      }
    },
  };
}

/** 1234 → "1.2s"; 83000 → "1m23s". */
export function formatSeconds(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 1)}s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
