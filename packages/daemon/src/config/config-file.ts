import { readFileSync } from "node:fs";
import { dirname, isAbsolute, resolve } from "node:path";
import { InvalidFile, parseYaml } from "@kintsugi/yaml-text";
import { z } from "zod";
import type { Flag, FlagTable } from "./flag.ts";

/** The required apiVersion and kind of a configuration file. */
export interface FileKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Kintsugi's own kind of file: CloudLabConfiguration for "cloud-lab". */
export function ownFileKind(service: string): FileKind {
  const words = service.split("-").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return { apiVersion: "kintsugi.dev/v1alpha1", kind: `${words.join("")}Configuration` };
}

/** The settings as they are nested in a file: groups, with the flags' names as leaves. */
export type SettingTree = { readonly [key: string]: string | SettingTree };

/**
 * The settings of a file, by the names of their flags.
 * @throws InvalidFile with all faults of the file, or the reason why it cannot be read.
 */
export function readConfigFile(file: string, table: FlagTable, kind: FileKind): Record<string, unknown> {
  const { value } = parseYaml(readText(file), { schema: fileSchema(table, kind), source: file, whole: kind.kind });
  const given: Record<string, unknown> = {};
  collect(settingTree(table), value, given);
  for (const [name, spec] of Object.entries(table)) {
    const path = given[name];
    if (spec.isPath && typeof path === "string" && !isAbsolute(path)) given[name] = resolve(dirname(file), path);
  }
  return given;
}

/** "leaderElection.leaseDuration", or "nodeLabels" for `--node-labels`. */
export function keyOf(name: string, spec: Flag<unknown>): string {
  return spec.key ?? name.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Groups in the order in which the table first names them. */
export function settingTree(table: FlagTable): SettingTree {
  const root: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(table)) {
    const path = keyOf(name, spec).split(".");
    let group = root;
    for (const step of path.slice(0, -1)) group = (group[step] ??= {}) as Record<string, unknown>;
    group[path.at(-1) ?? ""] = name;
  }
  return root as SettingTree;
}

function fileSchema(table: FlagTable, { apiVersion, kind }: FileKind): z.ZodType<Record<string, unknown>> {
  const shapeOf = (tree: SettingTree): Record<string, z.ZodType> =>
    Object.fromEntries(
      Object.entries(tree).map(([key, below]) => [
        key,
        (typeof below === "string"
          ? (table[below] as Flag<unknown>).form.schema
          : z.strictObject(shapeOf(below))
        ).optional(),
      ]),
    );
  return z.strictObject({ apiVersion: z.literal(apiVersion), kind: z.literal(kind), ...shapeOf(settingTree(table)) });
}

function collect(tree: SettingTree, value: unknown, into: Record<string, unknown>): void {
  for (const [key, below] of Object.entries(tree)) {
    const found = (value as Record<string, unknown> | undefined)?.[key];
    if (typeof below !== "string") collect(below, found, into);
    else if (found !== undefined) into[below] = found;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new InvalidFile(file, [{ message: `cannot be read: ${(error as Error).message}` }]);
  }
}
