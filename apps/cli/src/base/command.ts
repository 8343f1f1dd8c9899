import type { Clock, Random } from "@kintsugi/clock";
import type { Command as Program } from "commander";
import type { CliConfig } from "../config.ts";
import type { Terminal } from "../output/terminal.ts";

/** One entry of the flat list of commands. */
export interface Command {
  /** Declares the command and its options; `run` wraps its action. */
  declare(program: Program, run: Runner): void;
}

/**
 * Converts a command's work into a commander action: it receives its surroundings, and its outcome
 * becomes the exit code.
 */
export type Runner = <Args extends unknown[]>(
  work: (context: CommandContext, ...args: Args) => Promise<void>,
) => (...args: Args) => Promise<void>;

export interface CommandContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly config: CliConfig;
  readonly terminal: Terminal;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** The user's request cannot be executed; the message is complete without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A program that was started for the user has failed and has already reported the failure. */
export class AlreadyTold extends Error {
  override readonly name = "AlreadyTold";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`ended with ${exitCode}`);
    this.exitCode = exitCode;
  }
}
