import { strict as assert } from "node:assert";
import { inlineYaml } from "@kintsugi/yaml-text";
import { settingTree, type SettingTree } from "./config-file.ts";
import type { Flag, FlagTable } from "./flag.ts";
import { type ConfiguredProgram, defaultOf } from "./read-flags.ts";

/**
 * The documented configuration file of a service. Required settings have an example. The other
 * settings are commented out with their defaults: `#maxPods: 110`, without a space after the #,
 * which distinguishes settings from sentences.
 */
export function sampleFile(program: ConfiguredProgram, table: FlagTable): string {
  const { name, description, file, reload } = program;
  return [
    `# ${description}`,
    `# Read by \`${name} --config ${name}.yaml\`. Commented lines show the defaults; a flag takes precedence over this file.`,
    `# ${reload ?? "The service reads this file only at its start."}`,
    `apiVersion: ${file.apiVersion}`,
    `kind: ${file.kind}`,
    ...settings(settingTree(table), table, ""),
    "",
  ].join("\n");
}

function settings(tree: SettingTree, table: FlagTable, indent: string): string[] {
  return Object.entries(tree).flatMap(([key, below]) => {
    if (typeof below !== "string") {
      const mark = hasRequired(below, table) ? "" : "#";
      return [...blankAt(indent), `${indent}${mark}${key}:`, ...settings(below, table, `${indent}  `)];
    }
    const spec = table[below] as Flag<unknown>;
    const value = defaultOf(spec, "default") ?? spec.example;
    assert(value !== undefined, `--${below} has neither a default nor an example for the sample file`);
    const mark = spec.required ? "" : "#";
    return [
      ...blankAt(indent),
      `${indent}# --${below}${remarkOn(spec)}: ${spec.help}`,
      `${indent}${mark}${key}: ${inlineYaml(spec.form.write(value))}`,
    ];
  });
}

function remarkOn(spec: Flag<unknown>): string {
  if (spec.required) return " (required)";
  if (spec.byProfile !== undefined) return " (by profile)";
  return spec.fallback === undefined ? " (an example)" : "";
}

function blankAt(indent: string): string[] {
  return indent === "" ? [""] : [];
}

function hasRequired(tree: SettingTree, table: FlagTable): boolean {
  return Object.values(tree).some((below) =>
    typeof below === "string" ? table[below]?.required === true : hasRequired(below, table),
  );
}
