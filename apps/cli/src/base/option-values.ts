import { parseDurationMs, profileNames } from "@kintsugi/api";
import { wholeNumber } from "@kintsugi/lab";
import { InvalidArgumentError, Option } from "commander";

/** Converts a parser's error into an error about the option, with exit code 2. */
export function parseOne<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  };
}

/** A whole number. */
export function parseCount(range: { min: number; max: number }): (text: string) => number {
  return parseOne(wholeNumber(range));
}

export function profileOption(): Option {
  return new Option("--profile <profile>", "set of values for all timers").choices(profileNames);
}

/** An option with a duration, in milliseconds. */
export function durationOption(flags: string, description: string, byDefault: string): Option {
  return new Option(flags, description)
    .argParser(parseOne(parseDurationMs))
    .default(parseDurationMs(byDefault), byDefault);
}

/**
 * The option for the output format: for people, or for programs; some commands have more formats.
 */
export function outputOption(...more: readonly string[]): Option {
  return new Option("-o, --output <format>", "output format").choices(["text", "json", ...more]).default("text");
}
