import { type ProfileName, profiles } from "@kintsugi/api";
import type { Flag, FlagTable, ValueOf } from "./flag.ts";
import { shown } from "./read-flags.ts";

/**
 * A setting of one part of a service. The part reads it under its name in the table, and users
 * write it as the flag.
 */
export type Option<T = unknown> = Flag<T> & { readonly flag: string };

export type OptionTable = Readonly<Record<string, Option>>;

/** The settings of a table in the form in which the declaring part reads them. */
export type OptionValues<Table> = { -readonly [Name in keyof Table]: ValueOf<Table[Name]> };

type FlagsOf<Table extends OptionTable> = { [Name in keyof Table as Table[Name]["flag"]]: Table[Name] };

/** One row of a table of options: `option("pod-gc-period", flag.durationMs({ … }))`. */
export function option<const Name extends string, F extends object>(name: Name, spec: F): F & { readonly flag: Name } {
  return { ...spec, flag: name };
}

/** Returns the settings by the names of their flags, as `readFlags` takes them. */
export function flagsOf<Table extends OptionTable>(table: Table): FlagsOf<Table> {
  return Object.fromEntries(Object.values(table).map((each) => [each.flag, each])) as FlagsOf<Table>;
}

/** The settings among the values that `readFlags` has returned. */
export function optionValues<Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, unknown>>,
): OptionValues<Table> {
  return fromEntries(table, ({ flag }) => given[flag]);
}

/** The settings of a service without any given flags. */
export function optionDefaults<Table extends OptionTable>(
  table: Table,
  profile: ProfileName = "default",
  timers = profiles[profile],
): OptionValues<Table> {
  return fromEntries(table, (each) => (each.byProfile ? each.byProfile(timers, profile) : each.fallback));
}

function fromEntries<Table extends OptionTable>(table: Table, valueOf: (each: Option) => unknown): OptionValues<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, each]) => [name, valueOf(each)])) as OptionValues<Table>;
}

/** The rows of a table of flags as documentation shows them. */
export function describeFlags(table: FlagTable): string {
  const rows = Object.entries(table).map(
    ([name, each]) => `| \`--${name}\` | ${[shownDefault(each), each.help].map(inCell).join(" | ")} |`,
  );
  return ["| flag | default | meaning |", "|---|---|---|", ...rows].join("\n");
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function shownDefault(each: Flag<unknown>): string {
  if (each.byProfile === undefined) return each.fallback === undefined ? "" : `\`${shown(each, each.fallback)}\``;
  const names = Object.keys(profiles) as ProfileName[];
  const values = names.map((name) => [name, shown(each, each.byProfile?.(profiles[name], name))] as const);
  const [[, first] = ["", ""]] = values;
  if (values.every(([, value]) => value === first)) return `\`${first}\``;
  return values.map(([name, value]) => `${name} \`${value}\``).join(", ");
}
