import type { Appended, Flags, Given, ProgramName, Setting, SettingFiles } from "./setting.ts";
import { settings } from "./settings.ts";

type Settings = (typeof settings)[number];
type DesiredOf<S> = S extends Setting<string, infer Desired, object> ? Desired : never;
type StoredOf<S> = S extends Setting<string, infer _Wish, infer Stored> ? Stored : never;
/** Turns `A | B` into `A & B`. */
type Joined<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;
type Flat<Type> = { [Key in keyof Type]: Type[Key] };

/**
 * The user's desired settings of a cluster, by the names of settings; undefined settings have their
 * default.
 */
export type DesiredSettings = { readonly [S in Settings as S["name"]]?: DesiredOf<S> };

/** The part of a cluster's description that stores settings. */
export type StoredSettings = Flat<Joined<StoredOf<Settings>>>;

/** All settings in one form, for code that treats them alike. */
export const anySettings: readonly Setting<string, unknown, object>[] = settings;

/** Merges the desired settings of a topology with the desired settings of the command line. */
export function joinDesired(file: DesiredSettings, flags: DesiredSettings): DesiredSettings {
  const desired: Record<string, unknown> = { ...flags };
  for (const each of anySettings) {
    const [ofFile, ofFlags] = [desiredOf(file, each.name), desiredOf(flags, each.name)];
    if (ofFile === undefined) continue;
    if (ofFlags === undefined) desired[each.name] = ofFile;
    else if (each.combine !== undefined) desired[each.name] = each.combine(ofFile, ofFlags);
  }
  return desired;
}

/**
 * Returns the part of a new cluster's description.
 * @throws InvalidSpec if a desired setting is impossible.
 */
export function storedBy(desired: DesiredSettings): StoredSettings {
  const stored: Record<string, unknown> = {};
  for (const each of anySettings)
    for (const [key, value] of Object.entries(each.store?.(desiredOf(desired, each.name)) ?? {})) {
      const before = stored[key];
      // Several settings may add to the same list.
      stored[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
    }
  return stored as StoredSettings;
}

/** Returns the differences of an existing cluster from the desired settings, in words. */
export function contradictionsOf(stored: StoredSettings, desired: DesiredSettings): string[] {
  const texts = anySettings.flatMap((each) => {
    const value = desiredOf(desired, each.name);
    return (value === undefined ? undefined : each.contradiction?.(stored, value)) ?? [];
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

function desiredOf(desired: DesiredSettings, name: string): unknown {
  return (desired as Readonly<Record<string, unknown>>)[name];
}

/**
 * Returns all flags that a user sets for a program, "name=value", including flags of single nodes.
 */
export function argsOfUser(program: ProgramName, desired: DesiredSettings): string[] {
  const { nodes } = desired;
  const ofNodes =
    program === "kubelet" && Array.isArray(nodes) ? nodes.flatMap(({ kubeletArgs }) => kubeletArgs ?? []) : [];
  return [...argsAppendedTo(program, storedBy(desired)), ...ofNodes];
}
