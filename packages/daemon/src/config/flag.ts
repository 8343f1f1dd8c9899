import { formatDuration, parseDurationMs, type ProfileName, type TimerProfile } from "@kintsugi/api";
import { z } from "zod";

/**
 * One setting of a service. Its name in the table is the flag without dashes: `"secure-port"` is
 * `--secure-port`.
 */
export interface Flag<T> {
  readonly help: string;
  /** The value's name in help: `--secure-port <port>`. */
  readonly placeholder: string;
  readonly parse: (text: string) => T;
  /**
   * The place in the configuration file, with dots between groups. Default: the flag's name in
   * camelCase.
   */
  readonly key?: string;
  readonly form: FileForm<T>;
  /** Shown in the sample file if the setting does not have a default. */
  readonly example?: T;
  /**
   * The flag is optional and its value `undefined` if it has neither a fallback nor a default by
   * profile.
   */
  readonly fallback?: T;
  /** The default that depends on the profile, which the table's flag `profile` names. */
  readonly byProfile?: DefaultByProfile<T>;
  readonly required?: boolean;
  readonly boolean?: boolean;
  /** The flag does not take a value, so that the next argument is an operand. */
  readonly isSwitch?: boolean;
  /** A relative path in a configuration file is resolved from that file's directory. */
  readonly isPath?: boolean;
}

type DefaultByProfile<T> = (timers: TimerProfile, profile: ProfileName) => T;

/** The form of a value in a configuration file. */
export interface FileForm<T> {
  readonly schema: z.ZodType<T>;
  write(value: T): unknown;
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The type of a flag's value, which is always present if the flag is required or has a default. */
export type ValueOf<F> = F extends { required: true; parse: (text: string) => infer T }
  ? T
  : F extends { fallback: infer T } | { byProfile: DefaultByProfile<infer T> }
    ? T
    : F extends Flag<infer T>
      ? T | undefined
      : never;

/** The values that `readFlags` returns for a table. */
export type FlagValues<Table> = { [Name in keyof Table]: ValueOf<Table[Name]> };

interface Given<T> {
  help: string;
  placeholder?: string;
  key?: string;
  form?: FileForm<T>;
  example?: T;
}

interface Defaults<T> {
  fallback?: T;
  byProfile?: DefaultByProfile<T>;
}

const same = <T>(value: T): unknown => value;

const textForm: FileForm<string> = { schema: z.string(), write: same };

const durationForm: FileForm<number> = {
  schema: z.unknown().transform((value, context) => {
    try {
      return parseDurationMs(String(value));
    } catch (error) {
      context.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  }),
  write: formatDuration,
};

/**
 * Factories of flags by type. With `fallback`, `byProfile` or `required` the value is never
 * undefined.
 */
export const flag = {
  text: maker<string>("text", { parse: same as (text: string) => string, form: textForm }),
  path: maker<string>("file", { parse: same as (text: string) => string, form: textForm, isPath: true }),
  number: maker<number, Limits>("number", (limits) => numberWithin(limits, false)),
  /** A whole number. */
  count: maker<number, Limits>("count", (limits) => numberWithin(limits, true)),
  port: maker<number>("port", () => numberWithin({ max: 65_535 }, true)),
  /**
   * A duration in milliseconds, written as upstream writes durations: "300ms", "40s", "1m30s",
   * "1h".
   */
  durationMs: maker<number>("duration", { parse: parseDurationMs, form: durationForm }),
  /** Comma-separated on the command line, a list in a file. */
  list: maker<readonly string[]>("a,b", {
    parse: (text) => text.split(",").filter((part) => part !== ""),
    form: { schema: z.array(z.string()), write: same },
  }),
  boolean: maker<boolean>("boolean", {
    parse: parseBoolean,
    form: { schema: z.boolean(), write: same },
    boolean: true,
  }),
  /** False unless the flag is set. */
  switch: (spec: { help: string; key?: string }): Flag<boolean> & { fallback: boolean } => ({
    placeholder: "",
    parse: parseBoolean,
    form: { schema: z.boolean(), write: same },
    isSwitch: true,
    fallback: false,
    ...spec,
  }),
  choice,
};

/** Both limits are inclusive. */
interface Limits {
  /** Default 0. */
  min?: number;
  max?: number;
}

/** A duration that upstream's file has as a number of seconds, under a key that names the unit. */
export const inSeconds: FileForm<number> = {
  schema: z
    .number()
    .min(0)
    .transform((seconds) => seconds * 1000),
  write: (ms) => ms / 1000,
};

/** "key=value" on the command line, a mapping in the file. */
export const asMapping: FileForm<readonly string[]> = {
  schema: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
    .transform((mapping) => Object.entries(mapping).map(([key, value]) => `${key}=${value}`)),
  write: (pairs) => Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
};

/** Reads a flag whose value is one of a few words. */
function choice<const W extends string>(
  words: readonly W[],
  spec: Given<W> & { fallback: W },
): Flag<W> & { fallback: W };
function choice<const W extends string>(
  words: readonly W[],
  spec: Given<W> & { byProfile: DefaultByProfile<W> },
): Flag<W> & { byProfile: DefaultByProfile<W> };
function choice<const W extends string>(words: readonly W[], spec: Given<W>): Flag<W>;
function choice<const W extends string>(words: readonly W[], spec: Given<W> & Defaults<W>): Flag<W> {
  const parse = (text: string): W => {
    const found = words.find((word) => word === text);
    if (found === undefined) throw new Error(`${JSON.stringify(text)} must be one of ${words.join(", ")}.`);
    return found;
  };
  return { placeholder: words.join("|"), parse, form: { schema: z.enum(words) as z.ZodType<W>, write: same }, ...spec };
}

type Kind<T> = Pick<Flag<T>, "parse" | "form" | "boolean" | "isPath">;

function maker<T, Own extends object = object>(placeholder: string, kind: Kind<T> | ((own: Own) => Kind<T>)) {
  function make(spec: Given<T> & Own & { fallback: T }): Flag<T> & { fallback: T };
  function make(
    spec: Given<T> & Own & { byProfile: DefaultByProfile<T> },
  ): Flag<T> & { byProfile: DefaultByProfile<T> };
  function make(spec: Given<T> & Own & { required: true }): Flag<T> & { required: true };
  function make(spec: Given<T> & Own): Flag<T>;
  function make(spec: Given<T> & Own & Defaults<T> & { required?: true }): Flag<T> {
    return { placeholder, ...(typeof kind === "function" ? kind(spec) : kind), ...spec };
  }
  return make;
}

function numberWithin({ min = 0, max = Infinity }: Limits, whole: boolean): Kind<number> {
  const noun = whole ? "whole number" : "number";
  const range = max < Infinity ? `from ${min} to ${max}` : `from ${min} on`;
  const fits = (value: number) => value >= min && value <= max && (!whole || Number.isSafeInteger(value));
  const refusal = (input: unknown) => `${JSON.stringify(input)} is not a ${noun} ${range}`;
  return {
    parse(text) {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value) || !fits(value)) throw new Error(`${refusal(text)}.`);
      return value;
    },
    form: { schema: z.number().refine(fits, { error: ({ input }) => refusal(input) }), write: same },
  };
}

function parseBoolean(text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new Error(`"${text}" is neither true nor false.`);
}
