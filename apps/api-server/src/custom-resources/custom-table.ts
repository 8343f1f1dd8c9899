import {
  type Cell,
  type Column,
  type CustomResourceDefinitionVersion,
  formatSince,
  type JsonObject,
  type JsonValue,
  type KindTable,
} from "@kintsugi/api";
import { compileJsonPath, type JsonPath } from "@kintsugi/structural-schemas";
import type { KubeObject } from "../resources/resource.ts";

type ColumnDefinition = NonNullable<CustomResourceDefinitionVersion["additionalPrinterColumns"]>[number];

const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique in its namespace.",
  priority: 0,
};

/** Definitions without columns show the age. */
const ageColumn: ColumnDefinition = {
  name: "Age",
  type: "date",
  description: "Time since the creation of the object.",
  jsonPath: ".metadata.creationTimestamp",
};

/** The table of a custom kind. Paths are compiled when a table is first made. */
export function customTable(columns: readonly ColumnDefinition[] = []): KindTable<KubeObject> {
  const shown = columns.length === 0 ? [ageColumn] : columns;
  let paths: (JsonPath | undefined)[] | undefined;
  return {
    columns: [nameColumn, ...shown.map(columnOf)],
    cells: (object, nowMs) => {
      paths ??= shown.map(({ jsonPath }) => pathOf(jsonPath));
      const ofColumns = shown.map(({ type }, index) => {
        const found = paths?.[index]?.find(object as unknown as JsonObject) ?? [];
        return cellOf(found, type, nowMs);
      });
      return [object.metadata.name ?? "", ...ofColumns];
    },
  };
}

function columnOf({ name, type, format = "", description = "", priority = 0 }: ColumnDefinition): Column {
  return { name, type: type as Column["type"], format, description, priority };
}

/** A path that cannot be parsed has no value, so the column is empty. */
function pathOf(text: string): JsonPath | undefined {
  try {
    return compileJsonPath(text);
  } catch {
    return undefined;
  }
}

/** A value whose type is not the column's type results in an empty cell. */
function cellOf(found: readonly JsonValue[], type: string, nowMs: number): Cell {
  const [first] = found;
  if (first === undefined) return null;
  switch (type) {
    case "integer":
      return typeof first === "number" ? Math.trunc(first) : null;
    case "number":
      return typeof first === "number" ? first : null;
    case "boolean":
      return typeof first === "boolean" ? first : null;
    case "date":
      return typeof first === "string" ? dateCell(first, nowMs) : null;
    default:
      return found.map(textOf).join(" ");
  }
}

function dateCell(text: string, nowMs: number): string {
  const age = formatSince(text, nowMs);
  return age === "<unknown>" ? "<invalid>" : age;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
