import { strict as assert } from "node:assert";
import { formatDuration, type ProfileName, profiles } from "@kintsugi/api";
import { InvalidFile, suggest } from "@kintsugi/yaml-text";
import { Command, InvalidArgumentError, Option } from "commander";
import { type FileKind, keyOf, readConfigFile } from "./config-file.ts";
import type { Flag, FlagTable, FlagValues } from "./flag.ts";

export interface Program {
  readonly name: string;
  readonly description: string;
  /** The program has a flag --config if this is set. */
  readonly file?: FileKind;
  /**
   * The arguments on the command line in addition to the flags. Default: arguments are rejected.
   */
  readonly operands?: Operands;
}

interface Operands {
  /** "section", the word for an argument in help and error messages. */
  readonly name: string;
  readonly help: string;
  /** Several arguments are allowed. */
  readonly many: boolean;
  /** If absent, any word is allowed. */
  readonly known?: readonly string[];
}

/** A program that reads a configuration file. */
export interface ConfiguredProgram extends Program {
  readonly file: FileKind;
  /**
   * The settings that are read again while the service runs, for the sample file. Default: none.
   */
  readonly reload?: string;
}

/**
 * Reads a service's command line, and the configuration file that it names. A flag takes precedence
 * over the file, and the file over the default, which may depend on the profile that the flag
 * `profile` of the same table names.
 * @throws FlagError with a sentence that names the fault; `--help` and `--version` are thrown as
 * `HelpRequested`.
 */
export function readFlags<const Table extends FlagTable>(
  program: Program,
  table: Table,
  argv: readonly string[],
): FlagValues<Table> {
  return readCommandLine(program, table, argv).flags;
}

/** `readFlags` for a program that also takes operands. @throws FlagError, HelpRequested */
export function readCommandLine<const Table extends FlagTable>(
  program: Program,
  table: Table,
  argv: readonly string[],
): { flags: FlagValues<Table>; operands: readonly string[] } {
  const { given, configFile, operands } = parseCommandLine(program, table, argv);
  const values = { ...(configFile === undefined ? {} : settingsOf(configFile, table, program)), ...given };
  const profile = (values["profile"] ?? table["profile"]?.fallback) as ProfileName | undefined;
  for (const [name, spec] of Object.entries(table)) {
    values[name] ??= defaultOf(spec, profile);
    if (values[name] === undefined && spec.required) {
      const where = program.file ? ` (or ${keyOf(name, spec)} in the file of --config)` : "";
      throw new FlagError(`--${name}${where} is required: ${spec.help}`);
    }
  }
  return { flags: values as FlagValues<Table>, operands };
}

/**
 * Returns the result of `readFlags` for a table without any given flags, except the required flags.
 */
export function flagDefaults<const Table extends FlagTable>(
  table: Table,
  profile: ProfileName = "default",
): Omit<FlagValues<Table>, RequiredIn<Table>> {
  const values = Object.entries(table).map(([name, spec]) => [name, defaultOf(spec, profile)]);
  return Object.fromEntries(values) as FlagValues<Table>;
}

type RequiredIn<Table> = { [Name in keyof Table]: Table[Name] extends { required: true } ? Name : never }[keyof Table];

/** The value of a setting that was not given. */
export function defaultOf(spec: Flag<unknown>, profile: ProfileName | undefined): unknown {
  if (spec.byProfile === undefined) return spec.fallback;
  assert(profile, `"${spec.help}" has a default by profile in a table without a flag for the profile`);
  return spec.byProfile(profiles[profile], profile);
}

/** The command line is wrong. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/** The user requested help; the message is the text to print. */
export class HelpRequested extends Error {
  override readonly name = "HelpRequested";
}

interface CommandLine {
  given: Record<string, unknown>;
  configFile: string | undefined;
  operands: readonly string[];
}

function parseCommandLine(program: Program, table: FlagTable, argv: readonly string[]): CommandLine {
  const command = new Command(program.name).description(program.description).exitOverride();
  let printed = "";
  command.configureOutput({ writeOut: (text) => (printed += text), writeErr: (text) => (printed += text) });
  command.showSuggestionAfterError().allowExcessArguments(false);
  if (program.operands)
    command.argument(`[${program.operands.name}${program.operands.many ? "..." : ""}]`, program.operands.help);
  const given: Record<string, unknown> = {};
  let configFile: string | undefined;
  if (program.file) {
    const option = new Option(
      "--config <file>",
      `Configuration file with all these settings: ${program.file.kind}; flags override it.`,
    );
    command.addOption(option.argParser((text: string) => (configFile = text)));
  }
  for (const [name, spec] of Object.entries(table)) {
    const option = new Option(`--${name}${valueOf(spec)}`, helpOf(spec));
    if (!spec.isSwitch) option.argParser((text: string) => (given[name] = parseOne(spec, text)));
    command.addOption(option);
    command.on(`option:${name}`, (text: string | null) => {
      if (spec.isSwitch || (text === null && spec.boolean)) given[name] = true;
    });
  }
  try {
    command.parse([...argv], { from: "user" });
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    if (code === "commander.helpDisplayed" || code === "commander.version") throw new HelpRequested(printed);
    const sentence = message.replace(/^error: /, "").replaceAll("\n", " ");
    throw new FlagError(`${sentence} (see ${program.name} --help)`, { cause: error });
  }
  refuseUnknown(command.args, program);
  return { given, configFile, operands: command.args };
}

function valueOf({ isSwitch, boolean, placeholder }: Flag<unknown>): string {
  if (isSwitch) return "";
  return boolean ? ` [${placeholder}]` : ` <${placeholder}>`;
}

function refuseUnknown(words: readonly string[], { operands }: Program): void {
  const known = operands?.known;
  const stranger = words.find((word) => known?.includes(word) === false);
  if (operands && known && stranger !== undefined)
    throw new FlagError(`there is no ${operands.name} "${stranger}"; ${suggest(stranger, known)}`);
}

function settingsOf(file: string, table: FlagTable, program: Program): Record<string, unknown> {
  if (!program.file) return {};
  try {
    return readConfigFile(file, table, program.file);
  } catch (error) {
    if (error instanceof InvalidFile) throw new FlagError(error.message, { cause: error });
    throw error;
  }
}

function helpOf(spec: Flag<unknown>): string {
  if (spec.required) return `${spec.help} (required)`;
  if (spec.byProfile !== undefined) return `${spec.help} (default by profile)`;
  if (spec.fallback === undefined || spec.fallback === "" || spec.isSwitch) return spec.help;
  return `${spec.help} (default ${shown(spec, spec.fallback)})`;
}

/** A value as help and documentation show it. */
export function shown(spec: Flag<unknown>, value: unknown): string {
  return spec.placeholder === "duration" ? formatDuration(value as number) : JSON.stringify(value);
}

function parseOne(spec: Flag<unknown>, text: string): unknown {
  try {
    return spec.parse(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
