import type { ApiObject } from "@kintsugi/api";
import { findType } from "./find-type.ts";
import type { KubectlCommand } from "./kubectl-command.ts";
import { type KubectlWorld, type KubectlAnswer, told } from "./kubectl-world.ts";
import { eventLines, readObjects, withoutManagers } from "./read-objects.ts";

/**
 * Prints `kubectl describe` in kubectl's generic form for kinds without a form of their own: the
 * fields by their names, and the events. @throws ApiError, UnusableCommand
 */
export async function describeObjects(
  { target }: Extract<KubectlCommand, { is: "describe" | "edit" }>,
  world: KubectlWorld,
): Promise<KubectlAnswer> {
  const type = findType(target.type, world.types);
  const lines: string[] = [];
  for (const object of await readObjects(world, type, target)) {
    if (lines.length > 0) lines.push("", "");
    lines.push(...objectLines(object), ...(await eventLines(type, object, world)));
  }
  return told(lines.length === 0 ? ["No resources found"] : lines);
}

/** The lines of one object without its events. */
function objectLines(object: ApiObject): string[] {
  const { metadata, apiVersion, kind, ...rest } = withoutManagers(object);
  const { name = "", namespace, labels, annotations, ...other } = metadata;
  return [
    `Name:         ${name}`,
    ...(namespace === undefined || namespace === "" ? [] : [`Namespace:    ${namespace}`]),
    ...mapLines("Labels:       ", labels),
    ...mapLines("Annotations:  ", annotations),
    `API Version:  ${apiVersion ?? ""}`,
    `Kind:         ${kind ?? ""}`,
    ...fieldLines({ metadata: other, ...rest }, ""),
  ];
}

function mapLines(label: string, map: Readonly<Record<string, string>> | undefined): string[] {
  const entries = Object.entries(map ?? {}).toSorted(([left], [right]) => left.localeCompare(right));
  if (entries.length === 0) return [`${label}<none>`];
  return entries.map(([key, value], index) => `${index === 0 ? label : " ".repeat(label.length)}${key}: ${value}`);
}

function fieldLines(fields: object, indent: string): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const label = `${indent}${labelOf(name)}:`;
    if (value === null || value === undefined) return [];
    if (Array.isArray(value)) return [label, ...value.flatMap((item) => itemLines(item, `${indent}  `))];
    if (typeof value === "object") return [label, ...fieldLines(value as object, `${indent}  `)];
    return [`${label}  ${String(value)}`];
  });
}

function itemLines(item: unknown, indent: string): string[] {
  return typeof item === "object" && item !== null ? fieldLines(item, indent) : [`${indent}${String(item)}`];
}

/** "nodeName" becomes "Node Name", as kubectl's smartLabelFor does. */
function labelOf(name: string): string {
  if (!/^[a-z][A-Za-z]*$/.test(name)) return name;
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/^[a-z]/, (letter) => letter.toUpperCase())
    .replaceAll(/\b(Ip|Uid|Api)\b/g, (word) => word.toUpperCase());
}
