import { z } from "zod";
import { type FieldFault, type SettingFlag, type TopologyField, topologyField } from "./setting.ts";

/** Flags of a program without dashes: "max-pods=20". */
export type ProgramArgs = readonly string[];

/** The flags of a program in a topology: a mapping of names to values. */
export const argsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
type ArgsText = z.infer<typeof argsSchema>;

/** A program whose flags a user may give, and one of them for error messages. */
export interface ArgsOwner {
  readonly program: string;
  readonly example: string;
}

/** Returns the flag of `up` that collects flags of a program. */
export function argsFlag(flags: string, owner: ArgsOwner): SettingFlag<ProgramArgs> {
  return { flags, parse: (text, before) => collectArg(owner, { text, before }) };
}

/** Returns the field of a topology with flags of a program. */
export function argsField(name: string, owner: ArgsOwner): TopologyField<ProgramArgs> {
  return topologyField({
    name,
    schema: argsSchema,
    read: argsIn,
    faults: (value) => argsFaults(owner, value),
  });
}

/** Joins the flags of a file and of the command line; of a flag in both, the last value counts. */
export function joinArgs(file: ProgramArgs, flags: ProgramArgs): ProgramArgs {
  return [...file, ...flags];
}

export function argsIn(value: ArgsText): string[] {
  return Object.entries(value).map(([name, each]) => `${name}=${each}`);
}

export function argsFaults(owner: ArgsOwner, value: ArgsText): FieldFault[] {
  return Object.keys(value).flatMap((name) => {
    const message = findArgFault(owner, name);
    return message === undefined ? [] : [{ path: [name], message }];
  });
}

/** Appends a flag of a program, "max-pods=20". @throws Error that says what is wrong with it. */
export function collectArg(
  owner: ArgsOwner,
  { text, before = [] }: { text: string; before: ProgramArgs | undefined },
): string[] {
  const [name = "", value = ""] = text.split("=", 2);
  const fault = value === "" ? `"${text}" is not name=value` : findArgFault(owner, name);
  if (fault !== undefined) throw new Error(`${fault}.`);
  return [...before, text];
}

/** Returns the fault in the name of a flag. */
function findArgFault({ program, example }: ArgsOwner, name: string): string | undefined {
  return /^[a-z][a-z0-9-]*$/.test(name) ? undefined : `"${name}" is no flag of the ${program}, such as ${example}`;
}
