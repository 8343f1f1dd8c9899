import { formatDuration, parseDurationMs } from "@kintsugi/api";
import { Command, InvalidArgumentError, Option } from "commander";

/** One command-line flag. Its name in the table is the flag without dashes: `"secure-port"` is `--secure-port`. */
export interface Flag<T> {
  readonly help: string;
  /** How the value shows in help: `--secure-port <port>`. */
  readonly placeholder: string;
  readonly parse: (text: string) => T;
  /** Absent: the flag is optional and its value is `undefined`. */
  readonly fallback?: T;
  readonly required?: boolean;
  readonly boolean?: boolean;
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

type ValueOf<F> = F extends { required: true; parse: (text: string) => infer T }
  ? T
  : F extends { fallback: infer T }
    ? T
    : F extends Flag<infer T>
      ? T | undefined
      : never;

/** What `readFlags` gives for a table: required flags and those with a fallback are always there. */
export type FlagValues<Table> = { [Name in keyof Table]: ValueOf<Table[Name]> };

interface Shared {
  help: string;
  placeholder?: string;
}

/** Makers of flags by type. With `fallback` or `required` the value is never undefined. */
export const flag = {
  text: maker<string>("text", (text) => text),
  number: maker<number>("number", parseNumber),
  /** In milliseconds; written as upstream writes durations: "300ms", "40s", "1m30s", "1h". */
  durationMs: maker<number>("duration", parseDurationMs),
  /** Comma-separated. */
  list: maker<readonly string[]>("a,b", (text) => text.split(",").filter((part) => part !== "")),
  boolean: maker<boolean>("boolean", parseBoolean, true),
};

/**
 * Reads a service's command line.
 * @throws FlagError with a sentence that says what is wrong; `--help` and `--version` are thrown as `HelpRequested`.
 */
export function readFlags<const Table extends FlagTable>(
  program: { name: string; description: string },
  table: Table,
  argv: readonly string[],
): FlagValues<Table> {
  const command = new Command(program.name).description(program.description).exitOverride();
  let printed = "";
  command.configureOutput({ writeOut: (text) => (printed += text), writeErr: (text) => (printed += text) });
  command.showSuggestionAfterError().allowExcessArguments(false);
  const given: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(table)) {
    const option = new Option(
      spec.boolean ? `--${name} [${spec.placeholder}]` : `--${name} <${spec.placeholder}>`,
      helpOf(spec),
    );
    option.argParser((text: string) => (given[name] = parseOne(spec, text)));
    command.addOption(option);
    command.on(`option:${name}`, (text: string | null) => {
      if (text === null && spec.boolean) given[name] = true;
    });
  }
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    if (code === "commander.helpDisplayed" || code === "commander.version") throw new HelpRequested(printed);
    throw new FlagError(`${message.replace(/^error: /, "")} (see ${program.name} --help)`, { cause: error });
  }
  for (const [name, spec] of Object.entries(table)) {
    if (given[name] === undefined && spec.fallback !== undefined) given[name] = spec.fallback;
    if (given[name] === undefined && spec.required) throw new FlagError(`--${name} is required: ${spec.help}`);
  }
  return given as FlagValues<Table>;
}

/** The command line is wrong. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** Somebody asked for help; the message is the text to print. */
export class HelpRequested extends Error {
  override readonly name = "HelpRequested";
}

/** The flag's value as one of the words it may have. @throws FlagError that names them. */
export function allowedValue<T extends string>(value: string, allowed: readonly T[], name: string): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw new FlagError(`--${name} is ${JSON.stringify(value)}; it is one of ${allowed.join(", ")}`);
  return found;
}

function maker<T>(defaultPlaceholder: string, parse: (text: string) => T, boolean = false) {
  function make(spec: Shared & { fallback: T }): Flag<T> & { fallback: T };
  function make(spec: Shared & { required: true }): Flag<T> & { required: true };
  function make(spec: Shared): Flag<T>;
  function make(spec: Shared & { fallback?: T; required?: true }): Flag<T> {
    return { placeholder: defaultPlaceholder, boolean, parse, ...spec };
  }
  return make;
}

function helpOf(spec: Flag<unknown>): string {
  if (spec.required) return `${spec.help} (required)`;
  if (spec.fallback === undefined || spec.fallback === "") return spec.help;
  const shown =
    spec.placeholder === "duration" ? formatDuration(spec.fallback as number) : JSON.stringify(spec.fallback);
  return `${spec.help} (default ${shown})`;
}

function parseOne(spec: Flag<unknown>, text: string): unknown {
  try {
    return spec.parse(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new Error(`"${text}" is not a number.`);
  return value;
}

function parseBoolean(text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new Error(`"${text}" is neither true nor false.`);
}
