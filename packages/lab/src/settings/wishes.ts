import type { Appended, Flags, Given, ProgramName, Setting, SettingFiles } from "./setting.ts";
import { settings } from "./settings.ts";

type Settings = (typeof settings)[number];
type WishOf<S> = S extends Setting<string, infer Wish, object> ? Wish : never;
type StoredOf<S> = S extends Setting<string, infer _Wish, infer Stored> ? Stored : never;
/** Turns `A | B` into `A & B`. */
type Joined<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/** The user's wishes for a cluster, by the names of settings; what is undefined has its default. */
export type Wishes = { readonly [S in Settings as S["name"]]?: WishOf<S> };

/** The part of a cluster's description that settings keep. */
export type StoredSettings = Flat<Joined<StoredOf<Settings>>>;

/** All settings in one form, for code that does the same with each. */
export const anySettings: readonly Setting<string, unknown, object>[] = settings;

/** Joins the wishes of a topology with those of the command line. */
export function joinWishes(file: Wishes, flags: Wishes): Wishes {
  const wishes: Record<string, unknown> = { ...flags };
  for (const each of anySettings) {
    const [ofFile, ofFlags] = [wishOf(file, each.name), wishOf(flags, each.name)];
    if (ofFile === undefined) continue;
    if (ofFlags === undefined) wishes[each.name] = ofFile;
    else if (each.combine !== undefined) wishes[each.name] = each.combine(ofFile, ofFlags);
  }
  return wishes;
}

/**
 * Returns the part of a new cluster's description.
 * @throws InvalidSpec where a wish is impossible.
 */
export function storedBy(wishes: Wishes): StoredSettings {
  const stored: Record<string, unknown> = {};
  for (const each of anySettings)
    for (const [key, value] of Object.entries(each.store?.(wishOf(wishes, each.name)) ?? {})) {
      const before = stored[key];
      // Several settings may fill one list.
      stored[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  return stored as StoredSettings;
}

/** Returns the differences of an existing cluster from the wishes, in words. */
export function contradictionsOf(stored: StoredSettings, wishes: Wishes): string[] {
  const texts = anySettings.flatMap((each) => {
    const wish = wishOf(wishes, each.name);
    return (wish === undefined ? undefined : each.contradiction?.(stored, wish)) ?? [];
  });
  return [...new Set(texts)];
}

/** Returns the flags that settings give to a program of the cluster. */
export function flagsGivenTo(program: string, stored: StoredSettings, files: SettingFiles): Flags {
  const given = anySettings.map((each): Given => each.gives?.(stored, files) ?? {});
  return Object.assign({}, ...given.map((each) => each[program as ProgramName]));
}

/** Returns the flags that follow all others of a program, "name=value". */
export function argsAppendedTo(program: string, stored: StoredSettings): string[] {
  return anySettings.flatMap((each) => {
    const appended: Appended = each.appends?.(stored) ?? {};
    return [...(appended[program as ProgramName] ?? [])];
  });
}

function wishOf(wishes: Wishes, name: string): unknown {
  return (wishes as Readonly<Record<string, unknown>>)[name];
}

/** Returns all flags that a user gives a program, "name=value", those of single nodes included. */
export function argsOfUser(program: ProgramName, wishes: Wishes): string[] {
  const { nodes } = wishes;
  const ofNodes =
    program === "kubelet" && Array.isArray(nodes) ? nodes.flatMap(({ kubeletArgs }) => kubeletArgs ?? []) : [];
  return [...argsAppendedTo(program, storedBy(wishes)), ...ofNodes];
}
