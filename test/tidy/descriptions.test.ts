import { join } from "node:path";
import { expect, test } from "vitest";
import { describeObject, type ObjectDescription, type TypeDescription } from "@kintsugi/api";
import { bareOpenings } from "./plain-english.ts";
import { repository, sourceFiles } from "./source-files.ts";

/**
 * A text that `kubectl explain` prints: of an object type, or of one of its fields ("Pod.spec").
 */
interface Description {
  readonly of: string;
  readonly text: string | undefined;
}

/**
 * Returns the faults of descriptions. A missing description is a fault, because the client would
 * print an empty line.
 */
function descriptionFaults(descriptions: readonly Description[]): string[] {
  return descriptions.flatMap(({ of, text = "" }) => {
    if (text === "") return [`${of} has no description`];
    const words = text.split(/\s+/);
    const faults = [
      !/^["A-Z]/.test(text) && "does not begin with a capital letter",
      !text.endsWith(".") && "does not end with a full stop",
      bareOpenings.has(words[0] ?? "") && `is a fragment that opens with "${words[0]}"`,
      words.length < 3 && "has fewer than three words",
    ];
    return faults.filter((fault) => fault !== false).map((fault) => `${of}: "${text}" ${fault}`);
  });
}

/** Collects the descriptions of an object type, of its fields, and of the types below it. */
function collect(type: TypeDescription, found: Map<string, Description>): void {
  if (type.type === "list") return collect(type.items, found);
  if (type.type === "map") return collect(type.values, found);
  if (type.type !== "object" || found.has(type.name)) return;
  found.set(type.name, { of: type.name, text: type.description });
  for (const { name, type: inner, description } of type.fields.values()) {
    found.set(`${type.name}#${name}`, { of: `${type.name}.${name}`, text: description });
    collect(inner, found);
  }
}

/**
 * Loads every object type that a file below packages/api exports, including subresources and
 * options.
 */
async function exportedTypes(): Promise<ObjectDescription[]> {
  const files = ["kinds", "meta"]
    .flatMap((folder) => sourceFiles(`packages/api/src/${folder}`))
    .filter(({ path, text }) => !path.endsWith(".test.ts") && /= (?:kind|object|atomicObject)\(/.test(text));
  const modules = await Promise.all(files.map(({ path }) => import(join(repository, path)) as Promise<object>));
  return modules.flatMap((module) =>
    Object.values(module).flatMap((value: unknown) => (isObjectType(value) ? [describeObject(value)] : [])),
  );
}

/**
 * Recognizes a schema by zod's own mark, because the schema library is a dependency of packages/api
 * alone.
 */
function isObjectType(value: unknown): value is Parameters<typeof describeObject>[0] {
  if (typeof value !== "object" || value === null || !("_zod" in value)) return false;
  return (value as { _zod: { def: { type: string } } })._zod.def.type === "object";
}

test("every type and every field of the API has a description that is a whole sentence", async () => {
  const found = new Map<string, Description>();
  for (const type of await exportedTypes()) collect(type, found);
  expect(found.size).toBeGreaterThan(1000);
  expect(descriptionFaults([...found.values()])).toEqual([]);
});

test("fragments and missing descriptions are detected", () => {
  const planted = [
    "By which containers mount it.",
    "the port of the Service.",
    "The Service listens on this port",
    "Which pods?",
    "The port.",
    undefined,
    "Port number of the Service.",
  ];
  const faults = descriptionFaults(planted.map((text, index) => ({ of: `Planted.${index}`, text })));
  expect(faults).toEqual([
    'Planted.0: "By which containers mount it." is a fragment that opens with "By"',
    'Planted.1: "the port of the Service." does not begin with a capital letter',
    'Planted.2: "The Service listens on this port" does not end with a full stop',
    'Planted.3: "Which pods?" does not end with a full stop',
    'Planted.3: "Which pods?" is a fragment that opens with "Which"',
    'Planted.3: "Which pods?" has fewer than three words',
    'Planted.4: "The port." has fewer than three words',
    "Planted.5 has no description",
  ]);
});
