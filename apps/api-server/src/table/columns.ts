import type { ApiObject } from "@kintsugi/api";
import type { JsonObject, JsonValue } from "../json.ts";

/** One column of server-side printing. Priority 1 shows only with `-o wide`. */
export interface Column {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  format: "" | "name";
  description: string;
  priority: 0 | 1;
}

/** How one kind is printed: what its columns are and what stands in them. */
export interface KindTable<T extends ApiObject> {
  columns: readonly Column[];
  cells(object: T, nowMs: number): JsonValue[];
  /** Tells kubectl that an object has finished. */
  conditions?(object: T): JsonObject[];
}

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique in its namespace.",
  priority: 0,
};

export const ageColumn = column("Age", "Time since the object was created.");

export function column(name: string, description: string): Column {
  return { name, type: "string", format: "", description, priority: 0 };
}

export function integerColumn(name: string, description: string): Column {
  return { ...column(name, description), type: "integer" };
}

/** Shown with `-o wide` only. */
export function wide(narrow: Column): Column {
  return { ...narrow, priority: 1 };
}
