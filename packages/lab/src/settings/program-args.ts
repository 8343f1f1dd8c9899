import { z } from "zod";
import { type FieldFault, type ProgramName, type Setting, topologyField } from "./setting.ts";

/** Flags of a program without dashes: "max-pods=20". */
export type ProgramArgs = readonly string[];

/** The flags of a program in a topology: a mapping of names to values. */
export const argsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
type ArgsText = z.infer<typeof argsSchema>;

/** A program whose flags a user may give, and one of its flags for error messages. */
export interface ArgsOwner {
  readonly program: ProgramName;
  readonly example: string;
}

/** Returns the setting for flags of a program: a repeatable flag, and a mapping. */
export function argsSetting<const Name extends string, const Stored extends string>(
  owner: ArgsOwner & { name: Name; stored: Stored; flag: string; field: string; help: string },
): Setting<Name, ProgramArgs, { readonly [Key in Stored]?: ProgramArgs }> {
  type Kept = { readonly [Key in Stored]?: ProgramArgs };
  const argsOf = (kept: Kept): ProgramArgs => kept[owner.stored] ?? [];
  return {
    name: owner.name,
    help: owner.help,
    flag: { flags: owner.flag, parse: (text, before) => collectArg(owner, { text, before }) },
    field: topologyField({
      name: owner.field,
      schema: argsSchema,
      read: argsIn,
      faults: (value) => argsFaults(owner, value),
    }),
    combine: (file, flags) => [...file, ...flags],
    store: (desired = []) => (desired.length === 0 ? {} : { [owner.stored]: desired }) as Kept,
    contradiction(kept, desired) {
      const present = argsOf(kept);
      if (desired.join() === present.join()) return undefined;
      return `${owner.program} flags ${present.join(" ") || "of its own"}, not ${desired.join(" ")}`;
    },
    appends: (kept) => ({ [owner.program]: argsOf(kept) }),
  };
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

/** Appends a flag of a program, "max-pods=20". @throws Error that states the fault. */
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
  return /^[a-z][a-z0-9-]*$/.test(name) ? undefined : `"${name}" is not a flag of the ${program}, such as ${example}`;
}
