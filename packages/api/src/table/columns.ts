import type { ApiObject } from "../meta/api-object.ts";

/** One column of server-side printing. Priority 1 is shown only with `-o wide`. */
export interface Column {
  name: string;
  type: "string" | "integer" | "number" | "boolean" | "date";
  format: string;
  description: string;
  priority: number;
}

/** The columns of one kind, and the cells of a row. */
export interface KindTable<T extends ApiObject> {
  columns: readonly Column[];
  cells(object: T, nowMs: number): Cell[];
  /** kubectl detects from these conditions that an object has finished. */
  conditions?(object: T): TableRowCondition[];
}

/** Null represents a value that the object does not have. */
export type Cell = string | number | boolean | null;

interface TableRowCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique in its namespace.",
  priority: 0,
};

export const ageColumn = column("Age", "Time since the creation of the object.");

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

/** The table of kinds without a printer in upstream, such as roles. */
export const defaultTable: KindTable<ApiObject> = {
  columns: [nameColumn, { ...column("Created At", "Time at which the object was created."), type: "date" }],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
};
